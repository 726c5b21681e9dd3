"""The lab: the papers' experiments as data, run in small pieces, stored safely, and compared with published numbers."""
