"""Random maps and scenarios for Hypothesis."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from timebound.maps import Map, Problem

shapes = array_shapes(min_dims=2, max_dims=2, max_side=12)
maps = arrays(np.uint8, shapes, elements=st.sampled_from(list(b".GSgs@OTW"))).map(Map)
names = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1).flatmap(
    lambda word: st.sampled_from([word, f"maps/{word}.map", f"{word} {word}.map"])
)


@st.composite
def problems(draw):
    width, height = draw(st.integers(1, 2000)), draw(st.integers(1, 2000))
    position = st.tuples(st.integers(0, width - 1), st.integers(0, height - 1))
    length = st.floats(0, 1e9) | st.integers(0, 10**6).map(float)
    bucket = draw(st.integers(0, 999))
    return Problem(bucket, draw(names), width, height, draw(position), draw(position), draw(length))
