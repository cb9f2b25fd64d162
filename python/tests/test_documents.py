"""Documentation: examples in docstrings run, and everything public has one."""

from __future__ import annotations

import doctest
import inspect
import re
from types import ModuleType

import pytest
from conftest import ROOT

import firstcontact as fc

MODULES = [fc, fc._scene, fc.ccd, fc.toleranced, fc.extremal]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_examples_in_docstrings(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("document", ["README.md", "doc/guide/python.md"])
def test_code_in_documents(document: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    code = re.findall(r"^```python\n(.*?)^```", (ROOT / document).read_text(), re.DOTALL | re.MULTILINE)
    assert code
    names: dict[str, object] = {}
    for block in code:
        exec(block, names)  # noqa: S102


def test_everything_public_is_documented() -> None:
    missing = []
    for name in fc.__all__:
        item = getattr(fc, name)
        if inspect.isclass(item):
            members = [(key, value) for key, value in vars(item).items() if not key.startswith("_")]
            functions = [(key, getattr(value, "__func__", value)) for key, value in members]
            missing += [f"{name}.{key}" for key, value in functions if callable(value) and not inspect.getdoc(value)]
        if (inspect.isclass(item) or inspect.ismodule(item)) and not inspect.getdoc(item):
            missing.append(name)
    assert missing == []
    assert all(fc.Results.__dict__[name].__doc__ for name in fc._columns.COLUMNS)


def test_the_package_is_typed() -> None:
    from importlib.resources import files

    package = files("firstcontact")
    assert package.joinpath("py.typed").is_file() and package.joinpath("_native.pyi").is_file()
