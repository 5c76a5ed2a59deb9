"""Foundations: small parts that every other folder uses, and that use none of them."""
