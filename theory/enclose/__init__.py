"""Enclosures: models too large for exact arithmetic, every rounding error bounded."""
