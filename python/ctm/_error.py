"""The family of errors."""

from __future__ import annotations

from typing import Any


class Warning(UserWarning):
    """What the command prints as a warning: a constant without a value, an odd program."""


class Error(ValueError):
    """What this package raises, besides MemoryError and KeyboardInterrupt. Attributes that do not apply
    are None."""

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        end: int | None = None,
        errors: list[dict[str, Any]] | None = None,
        warnings: list[dict[str, Any]] | None = None,
        key: str | None = None,
        pc: int | None = None,
        point: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(message)
        #: The file that the error is about.
        self.file = file
        #: The line in it, from 1.
        self.line = line
        #: In a source the column of its first character, from 1, and the one after its last.
        self.column = column
        self.end = end
        #: All errors of a source: dicts with line, column, end, message and help.
        self.errors = errors or []
        #: The warnings beside them, as dicts likewise.
        self.warnings = warnings or []
        #: The key in a job file, or the argument, such as ``constants.step``.
        self.key = key
        #: The instruction.
        self.pc = pc
        #: The point, (i, j).
        self.point = point
