"""Files that list robots and their surroundings."""

from __future__ import annotations

import json
import os
from typing import Any

from ._arrays import Path
from ._errors import Error
from ._robot import Robot
from ._scene import Scene

_EXAMPLE = 'an example: {"robots":[{"name":"left","urdf":"ur5.urdf","base":[0,0,0,0,0,0]}],"scene":"cell.obj"}'


def read(path: Path) -> tuple[Robot, Scene | None, list[tuple[str, str]]]:
    """The robots as one, the scene, and the pairs that are never tested."""
    folder = os.path.dirname(os.path.abspath(path))
    world = _fields(_json(path), {"robots", "scene", "allow"}, path)
    robots = world.get("robots")
    if not isinstance(robots, list) or not robots:
        raise _malformed("it lists no robot", path)
    parts = {}
    for entry in robots:
        robot = _fields(entry, {"name", "urdf", "srdf", "base"}, path)
        name, urdf, srdf = (_text(robot, key, path) for key in ("name", "urdf", "srdf"))
        if name is None or urdf is None:
            raise _malformed("a robot has no name or no urdf", path)
        if name in parts:
            raise _malformed(f"two robots are called {name!r}", path)
        srdf = None if srdf is None else os.path.join(folder, srdf)
        parts[name] = Robot.from_urdf(os.path.join(folder, urdf), srdf=srdf, base=robot.get("base"))
    scene, pairs = _text(world, "scene", path), world.get("allow", [])
    if not (isinstance(pairs, list) and all(map(_is_pair, pairs))):
        raise _malformed("allow is not a list of pairs of names", path)
    around = None if scene is None else Scene.from_file(os.path.join(folder, scene))
    return Robot.join(parts), around, [(link, other) for link, other in pairs]


def _text(of: dict[str, Any], key: str, path: Path) -> str | None:
    value = of.get(key)
    if value is None or isinstance(value, str):
        return value
    raise _malformed(f"{key} is not a string", path)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(name, str) for name in value)


def _json(path: Path) -> Any:
    try:
        with open(path, encoding="utf-8-sig") as file:
            return json.load(file)
    except OSError as error:
        raise Error(f"{path}: {error.strerror}", kind="input", file=os.fspath(path)) from error
    except ValueError as error:
        raise _malformed(f"JSON: {error}", path) from error


def _fields(of: Any, known: set[str], path: Path) -> dict[str, Any]:
    if not isinstance(of, dict):
        raise _malformed("it is not a JSON object", path)
    unknown = sorted(set(of) - known)
    if unknown:
        raise _malformed(f"unknown field {unknown[0]!r}", path)
    return of


def _malformed(message: str, path: Path) -> Error:
    return Error(f"{path}: {message} ({_EXAMPLE})", kind="input", file=os.fspath(path), remedy=_EXAMPLE)
