"""kNN LRTA* (Bulitko, Björnsson and Lawrence 2010): `target` is the page of the algorithm."""
