"""ATI's "Close To the Metal" (CTM, 2006) Data Parallel Processor, to the bit.

>>> program = ctm.Program("mul o0, r0, c0")
>>> result = program.run((0, 0, 7, 7), outputs={0: "FLOAT32_4"}, constants={"c0": 2})
>>> result.outputs[0].shape
(8, 8, 4)
"""

from ._ctm import (
    Device,
    Fault,
    Finding,
    Job,
    Program,
    Report,
    Result,
    __version__,
    assemble,
    check,
)
from ._error import Error

__all__ = [
    "Device",
    "Error",
    "Fault",
    "Finding",
    "Job",
    "Program",
    "Report",
    "Result",
    "__version__",
    "assemble",
    "check",
]
