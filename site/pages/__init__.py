"""The values that each kind of page shows, computed before a template sees them."""
