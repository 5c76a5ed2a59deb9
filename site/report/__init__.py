"""The report and its comparison: what `run`, `diff` and pytest need."""
