"""Li, Schmidt, Babanezhad and Vaswani 2026: a statement of our own about steps of TD(0). Its text was not seen."""
