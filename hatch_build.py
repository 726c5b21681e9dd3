"""The build hook: a wheel may hold a pack of machine code, and is then for one platform and one version of Python.

Without $TIMEBOUND_PACK the wheel is a pure one, for any machine.
"""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class MachineCode(BuildHookInterface):  # type: ignore[misc]
    """Puts the pack into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is built."""
        pack = os.environ.get("TIMEBOUND_PACK")
        if self.target_name != "wheel" or not pack:
            return
        if not Path(pack).is_file():
            raise FileNotFoundError(
                f"TIMEBOUND_PACK={pack} is not a file: make it by `python -m timebound.applications.shipping`"
            )
        build_data["force_include"][str(Path(pack).resolve())] = "timebound/machine_code.pack"
        build_data["pure_python"], build_data["infer_tag"] = False, True
