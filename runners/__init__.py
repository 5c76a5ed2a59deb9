"""Effects: a plan in, results out."""
