"""The report, its comparison, the outputs for CI, and the report site with its history and pages."""
