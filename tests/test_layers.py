"""Imports go down from layer to layer only."""

import ast

import layers
import pytest


def test_imports_go_down_only() -> None:
    assert [str(one) for one in layers.imports() if not one.goes_down()] == []


def test_the_tool_finds_imports_of_all_kinds() -> None:
    found = {(one.importer, one.imported) for one in layers.imports()}
    assert (("search", "paths"), ("worlds", "interface")) in found
    assert any(
        importer == ("cli", "race") and imported[:1] == ("applications",) for importer, imported in found
    )  # lazy
    assert (("agents", "__init__"), ("agents", "check")) in found  # for types


@pytest.mark.parametrize(
    "code",
    [
        "import timebound",
        "import timebound.agents.agent",
        "from timebound import search",
        "def later():\n    from ..search import state",
        "if TYPE_CHECKING:\n    from ..agents.agent import Agent",
        "def later():\n    from .. import Fleet",
        "import_module('timebound.lab')",
        "importlib.import_module('..agents.agent', __package__)",
    ],
)
def test_an_import_of_something_above_is_found(code: str) -> None:
    assert [one.goes_down() for one in layers.imports_of(ast.parse(code), ("worlds", "places"))] == [False]


def test_every_package_has_a_layer() -> None:
    packages = {path.parent.name for path in layers.SOURCE.glob("*/__init__.py")}
    assert packages == {package for layer in layers.LAYERS for package in layer} - {"timebound"}
