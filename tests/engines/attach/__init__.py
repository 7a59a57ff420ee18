"""Attaching indexes that other programs fill, on real servers."""
