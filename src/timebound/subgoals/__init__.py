"""Knowledge of a map that is prepared once, offline, for agents that steer by subgoals."""
