"""Lakshminarayanan, Szepesvári 2018: one file per claim; ``hurwitz`` and ``averages`` are shared."""
