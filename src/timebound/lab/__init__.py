"""The lab: the papers' experiments as data, run in small pieces, stored safely, and compared with published numbers."""

from importlib.util import find_spec

from ..core.errors import TimeboundError

if _missing := [name for name in ("jinja2", "matplotlib", "msgspec", "pyarrow", "scipy") if find_spec(name) is None]:
    raise TimeboundError(f"the lab needs more packages; install them with: pip install {' '.join(_missing)}")
