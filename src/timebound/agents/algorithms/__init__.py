"""The algorithms: a file, or a package, for each family; its header says which lines of the paper are where."""
