"""van Seijen, Sutton 2014: one file per claim, named as its id; ``iterates`` has both views."""
