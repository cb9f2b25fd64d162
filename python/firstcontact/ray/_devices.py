"""Graphics adapters for actors. Ray hides GPUs from CUDA by an environment variable that Vulkan ignores, so an
actor opens the adapter at the PCI address of its GPU."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from .._errors import Error

_QUERY = ["nvidia-smi", "--query-gpu=index,uuid,pci.bus_id", "--format=csv,noheader,nounits"]
_PROC = Path("/proc/driver/nvidia/gpus")


def device_of(gpu: str | int, proc: Path = _PROC) -> str:
    """The `device` of an engine for a GPU as Ray names it: by its number or its UUID.

    Raises:
        Error: There is no such GPU.
    """
    listed = _from_nvidia_smi() or _from_proc(proc)
    for index, uuid, address in listed:
        if str(gpu) in (index, uuid) or (str(gpu).startswith("GPU-") and uuid.startswith(str(gpu))):
            return f"pci:{_normal(address)}"
    known = ", ".join(f"{index} at {_normal(address)}" for index, _, address in listed) or "none"
    remedy = "choose the adapter with device='pci:…' and actors=1"
    raise Error(f"there is no GPU {gpu} on {os.uname().nodename}, but {known} ({remedy})", kind="gpu", remedy=remedy)


def _from_nvidia_smi() -> list[tuple[str, str, str]]:
    """Number, UUID and address of each GPU; empty without the program."""
    # All GPUs, whatever part of them this process may use for CUDA.
    environment = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"}
    try:
        run = subprocess.run(_QUERY, capture_output=True, text=True, check=True, env=environment, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return []
    rows = [[part.strip() for part in line.split(",")] for line in run.stdout.splitlines()]
    return [(row[0], row[1], row[2]) for row in rows if len(row) == 3]


def _from_proc(proc: Path) -> list[tuple[str, str, str]]:
    """The same from the driver's files, where GPUs are counted in the order of their addresses."""
    found: list[tuple[str, str, str]] = []
    for folder in sorted(proc.glob("*"), key=lambda folder: _normal(folder.name)):
        try:
            lines = (folder / "information").read_text().splitlines()
        except OSError:
            continue
        fields = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
        found.append((str(len(found)), fields.get("GPU UUID", ""), folder.name))
    return found


def _normal(address: str) -> str:
    """An address as adapters report it: domain of four digits, lower case."""
    domain, _, rest = address.lower().partition(":")
    return f"{domain[-4:].rjust(4, '0')}:{rest}"
