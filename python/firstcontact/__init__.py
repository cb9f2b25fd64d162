"""Certified continuous collision detection of articulated models in triangle environments.

>>> import firstcontact as fc
>>> engine = fc.Engine("arm.urdf", "table.obj", margin=0.005)   # doctest: +SKIP
>>> results = engine.check(starts, ends)                        # doctest: +SKIP
>>> results.verdict == fc.FREE, results.toc                     # doctest: +SKIP

Lengths are in metres, angles in radians, and times are fractions of a motion, from 0 to 1. A motion that is `FREE` is
free at every moment; this is a guarantee. The guide explains what each answer means:
https://github.com/firstcontact/firstcontact/tree/main/doc/guide
"""

from typing import TYPE_CHECKING, Any, Final

from . import ccd, extremal, toleranced
from ._certificates import Verification
from ._clearance import Clearance, Clearances
from ._engine import Adapter, Engine, adapters
from ._errors import Error
from ._native import version as _version
from ._pictures import View, render, show
from ._results import Answer, Results, Verdict
from ._roadmap import Roadmap, roadmap
from ._robot import Robot
from ._scene import Scene
from ._trajectory import Trajectory

if TYPE_CHECKING:
    from . import ompl as ompl
    from . import ray as ray

FREE: Final = Verdict.FREE
CONTACT: Final = Verdict.CONTACT
UNDECIDED: Final = Verdict.UNDECIDED

__version__: str = _version()

__all__ = [
    "CONTACT",
    "FREE",
    "UNDECIDED",
    "Adapter",
    "Answer",
    "Clearance",
    "Clearances",
    "Engine",
    "Error",
    "Results",
    "Roadmap",
    "Robot",
    "Scene",
    "Trajectory",
    "Verdict",
    "Verification",
    "View",
    "__version__",
    "adapters",
    "ccd",
    "extremal",
    "render",
    "roadmap",
    "show",
    "toleranced",
]


def __getattr__(name: str) -> Any:
    """Imports `ompl` and `ray` on first use, since they need the packages of the same names."""
    if name in ("ompl", "ray"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
