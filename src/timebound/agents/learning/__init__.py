"""Learning rules: what an agent learns, and when. Each is a type of its own: an agent is compiled with no other."""
