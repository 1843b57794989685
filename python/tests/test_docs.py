"""The examples of docs/python.md and README.md, in order, of each page in one namespace."""

import doctest
import inspect
import os
import pathlib
import re

import ctm
import numpy as np
import pytest

ROOT = pathlib.Path(os.environ["CTM_ROOT"])


@pytest.mark.parametrize("page, count", [("docs/python.md", 10), ("README.md", 1)])
def test_examples(page, count, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text()
    namespace = {}
    examples = list(re.finditer(r"^```python\n(.*?)^```", text, re.S | re.M))
    assert len(examples) >= count
    for example in examples:
        line = text[: example.start()].count("\n") + 1
        # Errors name the line of the page.
        code = compile("\n" * line + example[1], page, "exec")
        exec(code, namespace)


def documented():
    """The functions of the package and the methods of its classes, by name."""
    for name in ctm.__all__:
        thing = getattr(ctm, name)
        yield name, thing
        if inspect.isclass(thing) and thing.__module__ == "ctm":
            for method in vars(thing):
                if not method.startswith("_"):
                    yield f"{name}.{method}", getattr(thing, method)


def test_examples_of_docstrings():
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    for name, thing in documented():
        for test in finder.find(thing, name, globs={"ctm": ctm, "np": np}):
            runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
    assert runner.tries > 25


def test_docstrings_explain_every_argument():
    for name, thing in documented():
        # A fault is made only by pickle.
        if name == "Fault" or not callable(thing) or inspect.isclass(thing) and thing.__module__ != "ctm":
            continue
        try:
            arguments = inspect.signature(thing).parameters
        except ValueError:
            continue
        text = inspect.getdoc(thing) or ""
        if name == "Program.map":
            text += inspect.getdoc(ctm.Program.run)
        for argument in arguments:
            if argument not in ("self", "args", "kwargs"):
                assert re.search(rf"\b{argument}\b.*:|`{argument}`", text), (name, argument)
