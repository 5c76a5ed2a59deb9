"""Taps: proxies around MCP servers that pass every byte on and note every message in a log."""
