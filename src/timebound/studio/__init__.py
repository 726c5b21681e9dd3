"""The studio: a web page in which people watch agents think, and recordings of what they did.

`frames` turns what an agent says about itself into small binary messages; `contest` lets agents race and collects
these; `session` and `server` bring them to a page, `recording` to a file. Only `server` needs the extra `studio`.
"""
