"""Many agents in one world, within one budget for all: see `Fleet`."""
