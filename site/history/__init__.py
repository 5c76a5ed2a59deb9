"""The commits that have a report, and a summary of each."""
