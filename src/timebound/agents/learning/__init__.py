"""Learning rules: what an agent learns, and when. Each has its own type: an agent is compiled with only one."""
