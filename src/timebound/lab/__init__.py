"""The lab: the papers' experiments as data, run in small pieces, stored safely, shown beside the published numbers."""
