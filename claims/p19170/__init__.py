"""arXiv 2609.19170: a statement of our own about emphatic TD along paths. Its text was not seen."""
