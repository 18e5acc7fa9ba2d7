"""Checks: from a model to a verdict, one notion a file."""
