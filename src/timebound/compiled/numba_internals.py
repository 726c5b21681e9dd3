"""Everything that depends on names that Numba does not promise to keep.

`tests/compiled/test_numba_internals.py` tests it with the installed Numba; `pyproject.toml` declares the versions that
were tested.
"""

import contextlib
import functools
import io
import itertools
import pickle
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import llvmlite
import numba
import numpy as np
from llvmlite import binding
from numba.core import cgutils, compiler, config, errors, types
from numba.core.bytecode import FunctionIdentity
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.funcdesc import ExternalFunctionDescriptor
from numba.core.registry import CPUDispatcher
from numba.core.registry import cpu_target as cpu_target
from numba.core.runtime import rtsys
from numba.core.serialize import NumbaPickler
from numba.core.typeconv import Conversion as Conversion
from numba.core.typing import signature as signature
from numba.core.typing.templates import AbstractTemplate as AbstractTemplate
from numba.core.typing.templates import AttributeTemplate as AttributeTemplate
from numba.core.typing.templates import infer_getattr as infer_getattr
from numba.core.typing.templates import infer_global as infer_global
from numba.experimental import structref
from numba.experimental.jitclass.base import imp_dtor
from numba.extending import typeof_impl
from numba.np import numpy_support

from .notice import compiling
from .settings import CHECK_BOUNDS, CHECK_TYPES, KEEP_LLVM

# ------------------------------------------------------------------ types of arguments

_with_masks = typeof_impl.dispatch(np.ndarray)


@typeof_impl.register(np.ndarray)
def _type_of_array(array: np.ndarray, context: Any) -> Any:
    """Return what Numba does, which asks whether the array is masked, and imports `numpy.ma` for that question."""
    if type(array) is not np.ndarray or "numpy.ma" in sys.modules:
        return _with_masks(array, context)
    try:
        kind = numpy_support.from_dtype(array.dtype)
    except errors.NumbaError:
        return _with_masks(array, context)
    return types.Array(kind, array.ndim, numpy_support.map_layout(array), readonly=not array.flags.writeable)


# ------------------------------------------------------------------ arrays and structs, while code is generated


def struct_fields(context: Any, builder: Any, kind: types.Type, struct: Any) -> Any:
    """Return the fields of a struct, as attributes to get and set."""
    return structref._Utils(context, builder, kind).get_data_struct(struct)


def meminfo_of(context: Any, builder: Any, kind: types.Type, struct: Any) -> Any:
    """Return the memory block in which Numba's runtime keeps a struct."""
    return structref._Utils(context, builder, kind).get_struct_ref(struct).meminfo


def struct_from_meminfo(context: Any, builder: Any, kind: types.Type, meminfo: Any) -> Any:
    """Return the struct in a memory block of Numba's runtime."""
    return structref._Utils(context, builder, kind).new_struct_ref(meminfo)._getvalue()


def new_struct(context: Any, builder: Any, kind: Any) -> Any:
    """Make a struct whose fields are all zero."""
    layout = context.data_model_manager[kind.get_data_type()].get_value_type()
    size = context.get_constant(types.uintp, context.get_abi_sizeof(layout))
    meminfo = context.nrt.meminfo_alloc_dtor(builder, size, imp_dtor(context, builder.module, kind))
    pointer = builder.bitcast(context.nrt.meminfo_data(builder, meminfo), layout.as_pointer())
    builder.store(cgutils.get_null_value(layout), pointer)
    held = context.make_helper(builder, kind)
    held.meminfo = meminfo
    return held._getvalue()


@contextlib.contextmanager
def without_pickles(python_api: Any, constant: Callable[[Any], Any]) -> Iterator[None]:
    """Let code generated in this block use Python objects as constants, which Numba would unpickle."""
    python_api.serialize_object, python_api.unserialize = (lambda value: value), constant
    try:
        yield
    finally:
        del python_api.serialize_object, python_api.unserialize


# ------------------------------------------------------------------ functions


class _PartLibrary(JITCodeLibrary):
    """Code that becomes part of other code: it is optimised there, and has no separate machine code.

    Numba would optimise it separately first, and turn it into machine code that never runs.
    """

    def finalize(self) -> None:
        """Link in what it calls itself."""
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._define_environments()
        self._finalized = True

    def _define_environments(self) -> None:
        """Define the variables into which Numba writes the addresses of environments.

        They are numbers here, because releases of LLVM differ in how they write the type of a pointer.
        """
        variables = (variable.name for variable in self._final_module.global_variables)
        names = [name for name in variables if name.startswith("_ZN08NumbaEnv")]
        self._variables = binding.parse_assembly("\n".join(f'@"{name}" = common global i64 0' for name in names))
        self._codegen._add_module(self._variables)
        self._codegen._engine.finalize_object()

    def get_pointer_to_function(self, name: str) -> int:
        """Return nothing: there is no machine code."""
        self._ensure_finalized()
        return 0


class PartCompiler(compiler.Compiler):
    """Compiles functions that become part of others."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """Compile a function."""
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), function.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(function)


def new_dispatcher(
    function: Callable[..., Any],
    options: dict[str, Any],
    keeper: Any = None,
    taken_as: Callable[[types.Type], types.Type] = types.unliteral,
) -> Any:
    """A function that Numba compiles for chosen types of its arguments; the `keeper` is a `store.Kept`.

    Numba itself would give every constant its own type, and compile again for it.
    """
    kind = PartCompiler if options["forceinline"] else compiler.Compiler
    dispatcher = CPUDispatcher(function, targetoptions=dict(options), pipeline_class=kind)
    by_values = dispatcher.get_call_template

    def by_types(given: Any, named: Any) -> Any:
        return by_values(tuple(map(taken_as, given)), {name: taken_as(kind) for name, kind in named.items()})

    dispatcher.get_call_template = by_types
    if keeper is not None:
        dispatcher._cache = keeper
        dispatcher.compile = functools.partial(_compile, dispatcher)
    return dispatcher


def _compile(dispatcher: Any, signature: Any) -> Any:
    with global_compiler_lock, compiling(dispatcher.py_func):
        try:
            return Dispatcher.compile(dispatcher, signature)
        finally:
            dispatcher._cache.end(signature)


def call_for(dispatcher: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """Return the machine code for arguments of these types, as a function of Python that does not check them."""
    kinds = tuple(map(dispatcher.typeof_pyval, arguments))
    dispatcher.compile(kinds)
    call: Callable[..., Any] = dispatcher.overloads[kinds].entry_point
    if not CHECK_TYPES:
        return call

    def checked(*given: Any) -> Any:
        found = tuple(map(dispatcher.typeof_pyval, given))
        if found != kinds:
            raise TypeError(f"{dispatcher.py_func.__name__} was called with {found}, not {kinds}")
        return call(*given)

    return checked


def tell_apart(kind: type) -> None:
    """Make calls from Python tell this class from others of the same name, at some cost if there are any.

    To find the machine code for a call from Python, Numba looks only at the name of a named tuple's class and the types
    of its members. So it mixes up a class of a notebook that was defined again, and classes of two plug-ins.
    """
    if _first_of_name.setdefault((kind.__name__, getattr(kind, "_fields", ())), kind) is not kind:
        namesakes.append(kind)


namesakes: list[type] = []
_first_of_name: dict[tuple[str, tuple[str, ...]], type] = {}


def call_by_symbol(dispatcher: Any, symbol_of: Callable[[tuple[Any, ...]], str]) -> None:
    """Let compiled code call this function by a symbol instead of linking it in."""

    def overload_of(arguments: Any) -> str:
        arguments = tuple(arguments)
        symbol = symbol_of(arguments)
        if (symbol, arguments) not in _declared:  # a class that is defined again has equal code, but is another type
            dispatcher.compile(arguments)
            result = dispatcher.overloads[arguments].signature.return_type
            described = ExternalFunctionDescriptor(symbol, result, arguments)
            dispatcher.targetctx.insert_user_function(symbol, described)
            _declared.add((symbol, arguments))
        return symbol

    dispatcher.get_overload = overload_of


_declared: set[tuple[str, tuple[types.Type, ...]]] = set()


def argument_types(signature: Any) -> tuple[types.Type, ...]:
    """Return the types that a dispatcher was asked to compile for."""
    return tuple(getattr(signature, "args", signature))


# ------------------------------------------------------------------ pickles


class _Pickler(NumbaPickler):
    """Pickles a class that has a number as that number (see `keys.Key`).

    Numba would pickle the contents of a class of a script or notebook, and another process would make another class.
    """

    def __init__(self, file: Any, number_of: Callable[[type], int | None]):
        super().__init__(file, protocol=4)
        self._number_of = number_of

    def persistent_id(self, value: Any) -> int | None:
        """Return the number of a class."""
        return self._number_of(value) if isinstance(value, type) else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, content: bytes, classes: tuple[type, ...]):
        super().__init__(io.BytesIO(content))
        self._classes, self.found = classes, False

    def persistent_load(self, number: int) -> type:
        """Return the class with that number."""
        self.found = True
        return self._classes[number]


def _dumps(value: Any, number_of: Callable[[type], int | None]) -> bytes:
    file = io.BytesIO()
    _Pickler(file, number_of).dump(value)
    return file.getvalue()


# ------------------------------------------------------------------ machine code


class Code(NamedTuple):
    """The machine code of a function, as bytes."""

    object_file: bytes
    name: str  # the symbol of the function
    declared: tuple[str, ...]  # the names that it uses but does not define
    number: int  # larger than all numbers in its names
    environments: bytes  # the Python objects that it refers to
    rest: bytes  # what Numba needs to call it, and to compile calls to it: mostly types
    llvm: bytes = b""  # its LLVM code, compressed, if that is kept


def machine_code(made: Any, number_of: Callable[[type], int | None]) -> Code | None:
    """Return what to keep of a compiled function; None if it refers to something in this process.

    `number_of` gives the number of a class that other processes cannot import.
    """
    if made.library.has_dynamic_globals or made.lifted:
        return None
    described = made.fndesc
    described.typemap = described.calltypes = None  # large, and no longer needed
    module = made.library._final_module
    declared = tuple(
        symbol.name
        for symbol in (*module.functions, *module.global_variables)
        if symbol.is_declaration and not symbol.name.startswith("llvm.")
    )
    environments = {environment.env_name: environment for environment in made._find_referenced_environments()}
    environments[made.environment.env_name] = made.environment
    return Code(
        made.library._get_compiled_object(),
        described.llvm_func_name,
        declared,
        next(FunctionIdentity._unique_ids),
        _dumps(list(environments.values()), number_of),
        _dumps((described, made.signature), number_of),
        zlib.compress(_llvm.pop(id(made.library), "").encode(), 1) if KEEP_LLVM else b"",
    )


_llvm: dict[int, str] = {}  # by the ids of libraries that exist


def _finalize_and_keep(self: JITCodeLibrary, finalize: Any = JITCodeLibrary._finalize_final_module) -> None:
    """Keep the LLVM code for any processor: what Numba does next prepares it for this one."""
    _llvm[id(self)] = str(self._final_module)
    finalize(self)


if KEEP_LLVM:
    JITCodeLibrary._finalize_final_module = _finalize_and_keep


class Loaded:
    """Machine code in memory; to Numba it looks like one of its own libraries."""

    def __init__(self, code: Code, classes: tuple[type, ...] = ()):
        target = cpu_target.target_context
        rtsys.initialize(target)  # what machine code needs from Numba's runtime; without it the process crashes
        self.codegen = target.codegen()
        engine = self.codegen._engine
        if engine.is_symbol_defined(code.name):
            raise ValueError(f"there is already a {code.name}")
        missing = [name for name in code.declared if binding.address_of_symbol(name) is None]
        if missing:  # the process would crash
            raise ValueError(f"there is no {missing[0]}")
        environments = _Unpickler(code.environments, classes)
        self.environments = {environment.env_name: environment for environment in environments.load()}
        self.classes = classes if environments.found else ()  # those that it refers to
        _number_from(code.number)
        engine._defined_symbols.add(code.name)
        self._file = binding.ObjectFileRef.from_data(code.object_file)
        engine._ee.add_object_file(self._file)
        self.address = self.get_pointer_to_function(code.name)
        for name, environment in self.environments.items():
            self.codegen.set_env(name, environment)

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of a function in it, or 0."""
        return int(self.codegen._engine.get_function_address(name))


def _number_from(number: int) -> None:
    """Keep Numba's numbered names of functions different from those that are loaded."""
    FunctionIdentity._unique_ids = itertools.count(max(number, next(FunctionIdentity._unique_ids)))


def address_of(made: Any) -> int:
    """Return the address of a function that was just compiled."""
    return int(made.library.get_pointer_to_function(made.fndesc.llvm_func_name))


def compile_result(loaded: Loaded, code: Code, classes: tuple[type, ...] = ()) -> Any:
    """Return what Numba would have after compiling the function itself."""
    target = cpu_target.target_context
    described, signature = _Unpickler(code.rest, classes).load()
    environment = loaded.environments[target.get_env_name(described)]
    return compiler.compile_result(
        typing_context=target.typing_context,
        target_context=target,
        entry_point=target.get_executable(loaded, described, environment),
        type_annotation="",
        signature=signature,
        objectmode=False,
        lifted=(),
        fndesc=described,
        library=loaded,
        environment=environment,
        reload_init=(),
        referenced_envs=tuple(loaded.environments.values()),
    )


def platform() -> Iterable[str]:
    """Return what machine code depends on besides its source and the processor."""
    options = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DEBUGINFO_DEFAULT")
    return (
        f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}",
        f"numba {numba.__version__}",
        f"llvmlite {llvmlite.__version__}",
        f"numpy {np.__version__.partition('.')[0]}",
        binding.get_process_triple(),
        *(f"{option}={getattr(config, option, None)}" for option in options),
        *(["with checked bounds"] if CHECK_BOUNDS else []),
        *(["with LLVM code"] if KEEP_LLVM else []),
    )


def processor() -> str:
    """Return the processor that Numba compiles for, and its features."""
    return " ".join(map(str, cpu_target.target_context.codegen().magic_tuple()[1:]))
