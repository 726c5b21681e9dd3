"""What everything may use: errors, checks of input, memory, files, processes."""
