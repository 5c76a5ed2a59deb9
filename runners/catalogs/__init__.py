"""Catalogs, the tools that servers list: fingerprints, drift, tokens, findings, frozen copies, the merged catalog."""
