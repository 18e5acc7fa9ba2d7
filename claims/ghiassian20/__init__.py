"""Ghiassian, Patterson, Garg, Gupta, White and White 2020: statements of our own about TDRC. Its text was not seen."""
