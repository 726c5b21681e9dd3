"""Knowledge prepared once per map, for agents that then decide quickly."""
