"""Runs in files: recording, redaction, locks, and why a recording is refused."""
