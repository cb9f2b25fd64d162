"""Pictures of motions, and the viewer for notebooks and browsers."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from typing import Any

from . import _native
from ._arrays import Path
from ._engine import Engine
from ._results import Answer, Results
from ._trajectory import Trajectory, trajectories

# Height of the viewer in a notebook, pixels.
_HEIGHT = 780


def render(
    engine: Engine,
    path: Any,
    to: Path,
    *,
    size: tuple[int, int] = (1280, 800),
    view: tuple[float, float] | None = None,
    exposures: int | None = None,
    adapter: str | None = None,
    scene_triangles: int = 200_000,
) -> Answer:
    """Draws a motion or trajectory: the robot at the start, at first contact and at the end, and its swept volume.

    Args:
        engine: The engine, which also checks the motion.
        path: A motion of shape (2, D), waypoints of shape (W, D), radians and metres, or a `Trajectory`.
        to: The output file, which is written atomically: .png or .jpg for a picture, or .glb for robot, scene and
            motion in three dimensions, which needs no graphics adapter.
        size: Width and height, pixels.
        view: Viewing direction: azimuth about z, measured from x, and elevation above the horizontal plane, degrees. By
            default, the direction that shows motion and contact best.
        exposures: Number of exposures to average; more exposures give smoother edges and shadows.
        adapter: A part of the name of the graphics adapter to draw with, or ``pci:`` followed by its address.
        scene_triangles: Maximum number of the scene's triangles in a GLB file.

    Returns:
        The answer that the picture shows.

    Raises:
        Error: There is no graphics adapter, the file cannot be written, or its extension is not one of these.
        ValueError: An array has the wrong shape.
    """
    results = _checked(engine, path)
    if len(results) != 1:
        raise ValueError(f"path has {len(results)} motions: a picture shows one")
    options = {
        "size": [int(n) for n in size],
        "view": None if view is None else [float(x) for x in view],
        "exposures": exposures,
        "adapter": adapter,
        "scene_triangles": scene_triangles,
    }
    _native.render(engine._native, results._native, os.fspath(to), options)
    return results[0]


class View:
    """A self-contained HTML page that shows motions in three dimensions and makes no network requests.

    A notebook displays it as the output of a cell.
    """

    def __init__(self, page: str, results: Results) -> None:
        """For `show`."""
        self.html = page
        """The page, HTML."""
        self.results = results
        """The answers that it shows."""

    def save(self, to: Path) -> None:
        """Writes the page for a browser."""
        with open(to, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        # A frame of its own: styles and scripts of the notebook and of the page do not mix.
        style = f"width:100%;height:{_HEIGHT}px;border:0"
        return f'<iframe style="{style}" srcdoc="{html.escape(self.html)}"></iframe>'

    def __repr__(self) -> str:
        return f"<View of {len(self.results)}: {len(self.html) / 1e6:.1f} MB of HTML; save(path) writes it>"


def show(
    engine: Engine, paths: Any, *, title: str = "Motions", scene_triangles: int = 120_000
) -> View:
    """A viewer that plays motions or trajectories and marks their first contacts, for notebooks and browsers.

    Args:
        engine: The engine, which also checks the motions.
        paths: A motion of shape (2, D), several of shape (Q, 2, D) or waypoints of shape (Q, W, D), radians and metres;
            a `Trajectory`, or several. A dozen is a good number.
        title: The title of the page.
        scene_triangles: Maximum number of the scene's triangles; of a larger scene, only the objects nearest to the
            motions are shown.

    Raises:
        ValueError: An array has the wrong shape, or there is no motion.
    """
    results = _checked(engine, paths)
    if len(results) == 0:
        raise ValueError("there is no motion to show")
    words = [[_label(answer), repr(answer)[1:-1]] for answer in results]
    return View(_native.page(engine._native, results._native, title, words, scene_triangles), results)


def _checked(engine: Engine, paths: Any) -> Results:
    """The answers with first contacts, by the CPU: for a few motions it is faster than the preparation of a device."""
    checking = engine.with_options(mode="toc", device="cpu", all_contacts=False)
    found: Sequence[Trajectory] = trajectories(paths, len(engine.joints))
    return checking.check_trajectories(found)


def _label(answer: Answer) -> str:
    where = ""
    if answer.toc is not None:
        segment = "" if answer.segment is None else f" of segment {answer.segment}"
        where = f" at {answer.toc[0]:.4f}{segment}"
    return f"motion {answer.motion}: {answer.verdict}{where}"
