"""The report and its comparison, which `run`, `diff` and the pytest plugin need."""
