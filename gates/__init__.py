"""Pure scoring: traces in, verdicts out."""
