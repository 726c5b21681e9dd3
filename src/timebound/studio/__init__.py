"""The studio: a web page that shows how agents think, and recordings of what they did.

`frames` turns the events of an agent into small binary messages; `contest` races agents and collects these; `session`
and `server` send them to a page, `recording` to a file. Only `server` needs the extra `studio`.
"""
