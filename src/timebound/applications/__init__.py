"""Programs on top of agents and fleets: races, advice, crowds, trials, pursuits, calibration, compiling ahead."""
