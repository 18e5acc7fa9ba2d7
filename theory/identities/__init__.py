"""Identities that hold for all values of their symbols, checked with symbolic or exact arithmetic."""
