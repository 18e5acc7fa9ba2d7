"""Exact and deterministic theory of TD(λ)-schedule algorithms: no randomness, no plotting.

Imports point one way: ``check → model → arithmetic``; ``verdict`` and ``errors`` are leaves;
``certificate.checker`` stands alone.
"""
