"""Srikant, Ying 2019: one file per claim; ``recursion``, ``drift`` and the ``example`` of App. E are shared."""
