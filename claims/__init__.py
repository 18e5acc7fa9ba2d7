"""One file per claim, named as its id: theory and experiment of it side by side. ``paper`` is the table."""
