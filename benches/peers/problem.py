"""The problem, as `firstcontact bench peers` writes it (README.md describes the file): problem.h for Python."""
import math
import os

import numpy as np


def read_mesh(path):
    """Vertices (n, 3) and triangles (m, 3) of an OBJ file."""
    vertices, triangles = [], []
    with open(path) as lines:
        for line in lines:
            if line.startswith("v "):
                vertices.append([float(x) for x in line.split()[1:4]])
            elif line.startswith("f "):
                triangles.append([int(x) - 1 for x in line.split()[1:4]])
    return np.array(vertices), np.array(triangles)


class Problem:
    """Bodies, links that some column moves, the scene and the motions."""

    def __init__(self, folder):
        with open(os.path.join(folder, "problem.txt")) as file:
            words = iter(file.read().split())
        def numbers(n):
            return [float(next(words)) for _ in range(n)]
        def mesh():
            return read_mesh(os.path.join(folder, next(words)))
        def section(name):
            word = next(words)
            if word != name:
                raise SystemExit(f"problem.txt: '{word}' where '{name}' should be")
        section("bodies")
        self.bodies = []
        for _ in range(int(next(words))):
            parent, kind, column = int(next(words)), next(words), int(next(words))
            multiplier, offset = numbers(2)
            axis, placement = np.array(numbers(3)), np.eye(4)
            placement[:3] = np.reshape(numbers(12), (3, 4))
            self.bodies.append((parent, kind, column, multiplier, offset, axis, placement))
        section("links")
        links = [(int(next(words)), mesh()) for _ in range(int(next(words)))]
        self.links = [(body, m) for body, m in links if self._moves(body)]
        section("scene")
        self.scene = mesh()
        section("motions")
        n, columns = int(next(words)), int(next(words))
        self.motions = np.reshape(numbers(n * 2 * columns), (n, 2, columns))

    def _moves(self, body):
        while body >= 0:
            if self.bodies[body][1] != "f":
                return True
            body = self.bodies[body][0]
        return False

    def poses(self, motion, t):
        """Poses (4, 4) of all links at time t of a motion (2, columns)."""
        q, poses = motion[0] + t * (motion[1] - motion[0]), []
        for parent, kind, column, multiplier, offset, axis, placement in self.bodies:
            moved = np.eye(4)
            value = multiplier * q[column] + offset
            if kind == "r":
                moved[:3, :3] = turned(axis, value)
            elif kind == "p":
                moved[:3, 3] = axis * value
            pose = placement @ moved
            poses.append(pose if parent < 0 else poses[parent] @ pose)
        return [poses[body] for body, _ in self.links]


def turned(axis, angle):
    """Rotation about a unit axis."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
