"""Mahadevan, Chen, Liu and Zhang 2026: statements of our own about hypotheses of TDC(λ). Its text was not seen."""
