"""Reporting: results in, report.json and pages out."""
