"""ATI's "Close To the Metal" (CTM, 2006) Data Parallel Processor: the same bits on every machine.

>>> program = ctm.Program("mul o0, r0, c0")
>>> result = program.run((0, 0, 7, 7), outputs={0: "FLOAT32_4"}, constants={"c0": 2})
>>> result.outputs[0].shape
(8, 8, 4)
"""

import os

if not {"XDG_RUNTIME_DIR", "MESA_VK_DEVICE_SELECT"} & set(os.environ):
    # Without a desktop, a layer of Mesa would print an error whenever adapters are listed.
    os.environ.setdefault("NODEVICE_SELECT", "1")
del os

from ._ctm import (
    Device,
    Fault,
    Finding,
    Job,
    Program,
    Proof,
    Report,
    Result,
    Results,
    __version__,
    assemble,
    check,
    pack,
    prove,
    run_many,
)
from ._error import Error, Warning

__all__ = [
    "Device",
    "Error",
    "Fault",
    "Finding",
    "Job",
    "Program",
    "Proof",
    "Report",
    "Result",
    "Results",
    "Warning",
    "__version__",
    "assemble",
    "check",
    "pack",
    "prove",
    "run_many",
]
