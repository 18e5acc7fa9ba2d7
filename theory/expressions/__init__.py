"""Expressions and relations about a model, along its paths and in expectation."""
