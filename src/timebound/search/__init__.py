"""The compiled core, one idea per file: nodes, open lists, best-first search, paths, clock."""
