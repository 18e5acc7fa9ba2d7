"""Reads verdicts and shows them; decides nothing."""
