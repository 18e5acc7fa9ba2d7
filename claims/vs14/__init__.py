"""van Seijen, Sutton, *True Online TD(λ)*: one file per claim, named as its id; ``iterates`` has both views.

``paper.toml`` is the table, in paper order.
"""
