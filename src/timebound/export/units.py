"""Units of compiled code, as object files for any platform."""

import functools
import pickle
import re
import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from llvmlite import binding

from ..compiled import numba_internals as internals
from ..compiled import store

SYMBOL = "tbu_"  # what the names of units begin with in object files; their keys follow


@functools.cache
def code_of(key: str) -> internals.Code:
    """Return what is kept of a unit."""
    kept = store.content(key)
    assert kept is not None, "the units of an export are kept"
    return internals.Code(*pickle.loads(kept))


def reached(roots: Iterable[str], without: Iterable[str] = ()) -> list[str]:
    """Return the keys of these units, and of all that they call, `without` some and what only those call."""
    found: dict[str, None] = {}
    left, out = list(roots), {*without}
    while left:
        key = left.pop()
        if key not in found and key not in out:
            found[key] = None
            left += store.needs(code_of(key))
    return sorted(found)


class Platform(NamedTuple):
    """What object files are made for."""

    triple: str
    features: str = ""
    relocation: str = "pic"


def object_file(key: str, platform: Platform) -> bytes:
    """Return the machine code of a unit for a platform."""
    machine = _machine(platform)
    module = binding.parse_assembly(llvm_of(key, platform.triple, str(machine.target_data)))
    module.verify()
    found: bytes = machine.emit_object(module)
    return found


@functools.cache
def _machine(platform: Platform) -> Any:
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    target = binding.Target.from_triple(platform.triple)
    return target.create_target_machine(
        opt=3, features=platform.features, reloc=platform.relocation or "default", codemodel="default"
    )


def llvm_of(key: str, triple: str, layout: str) -> str:
    """Return the LLVM code of a unit for a platform. Names are those that linkers like."""
    code = code_of(key)
    text = zlib.decompress(code.llvm).decode()
    text = re.sub(r'target datalayout = "[^"]*"', f'target datalayout = "{layout}"', text)
    text = re.sub(r'target triple = "[^"]*"', f'target triple = "{triple}"', text)
    text = re.sub(r'@"timebound/([0-9a-f]+)"', rf"@{SYMBOL}\1", text)
    for name in (f'@"{code.name}"', f"@{code.name}("):
        text = text.replace(name, f"@{SYMBOL}{key}" + "(" * name.endswith("("))
    text = text.replace('@"timebound-interrupts"', "@tb_signals").replace("@timebound-interrupts", "@tb_signals")
    text = re.sub(r' "target-(cpu|features)"="[^"]*"', "", text)  # any processor
    text = re.sub(r"\bcommon (local_unnamed_addr )?global", r"internal \1global", text)
    text = re.sub(rf"^define (?:linkonce_odr )?(?=[^@]*@(?!{SYMBOL}))", "define internal ", text, flags=re.M)
    return _plain_counting(text).replace("@clock_gettime", "@tb_clock")


def _plain_counting(text: str) -> str:
    """Count references by what every processor has: Numba's own pass has chosen an instruction of x86."""
    if "@llvm.x86.atomic.sub" not in text:
        return text
    text = re.sub(r"@llvm\.x86\.atomic\.sub\.cc\.i64\(ptr ([^,]*), i64 1, i32 4\)", r"@tb_less(ptr \1)", text)
    return re.sub(r"^declare i8 @llvm\.x86\.atomic\.sub\.cc[^\n]*$", "", text, flags=re.M) + _LESS


_LESS = """
define internal i8 @tb_less(ptr %count) alwaysinline {
  %before = atomicrmw sub ptr %count, i64 1 seq_cst
  %last = icmp eq i64 %before, 1
  %result = zext i1 %last to i8
  ret i8 %result
}
"""
