"""What picks tools: the seam, the lexical baseline, and the agent of each cell."""
