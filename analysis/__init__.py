"""A model goes in, its analysis comes out."""
