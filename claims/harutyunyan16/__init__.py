"""Harutyunyan et al. 2016: statements of our own about off-policy Q(λ). Its text was not seen."""
