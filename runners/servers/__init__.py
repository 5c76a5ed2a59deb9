"""MCP servers: how they are started or reached, what they list, calls to their tools, and their end."""
