"""What stands on each kind of page: plain values, worked out before a template sees them."""
