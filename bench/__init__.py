"""Benchmarks: `python -m bench`. Every answer is checked, so that each of them is a test, too."""
