"""Benchmarks: `python -m bench`. Every answer is checked, so each benchmark is also a test."""
