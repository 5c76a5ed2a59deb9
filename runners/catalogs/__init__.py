"""What servers list: fingerprints, drift, cost, findings, frozen copies, and the merged catalog an agent sees."""
