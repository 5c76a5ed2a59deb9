"""The part with effects: it runs a plan, live or from recordings, and returns results."""
