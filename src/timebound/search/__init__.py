"""The compiled core, one idea a file: nodes, open lists, best-first search, paths, clock."""
