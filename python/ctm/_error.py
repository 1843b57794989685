"""The family of errors."""

from __future__ import annotations


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
        key: str | None = None,
        pc: int | None = None,
        point: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(message)
        #: The file that the error is about.
        self.file = file
        #: The line in it, from 1.
        self.line = line
        #: The key in a job file, or the argument, such as ``constants.step``.
        self.key = key
        #: The instruction.
        self.pc = pc
        #: The point, (i, j).
        self.point = point
