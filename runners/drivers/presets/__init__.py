"""Programs that are known by name: one module each, and one row in the registry."""
