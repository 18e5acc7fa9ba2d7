"""Dalal, Szörényi, Thoppe, Mannor 2018: one file per claim, named as its id; ``gradient`` is shared."""
