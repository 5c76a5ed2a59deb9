"""The commits that have a report, and what each says in a few numbers."""
