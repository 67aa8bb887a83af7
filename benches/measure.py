"""How every benchmark measures: CPU seconds and peak memory of one command, best of several runs, and the table."""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """What one command cost: user and system CPU seconds, wall seconds, peak resident memory in MiB."""

    cpu: float
    wall: float
    peak: float


def run(command, *, stdin=None, env=None, cwd=None, ok=(0,)):
    """Runs one command to its end, children included, and returns its cost; an unexpected exit code stops the bench.

    GNU time starts it: a process counts the memory of the one that started it as its own peak, and Python holds 20 MiB.
    """
    began = time.monotonic()
    with open(stdin or os.devnull, "rb") as source, tempfile.NamedTemporaryFile() as peak:
        timed = ["/usr/bin/time", "--quiet", "--format=%M", f"--output={peak.name}", *command]
        process = subprocess.Popen(timed, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env, cwd=cwd)
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - began
        kib = peak.read().decode().strip() or "0"
    if process.returncode not in ok:
        sys.exit(f"{' '.join(map(str, command))}: exit {process.returncode}\n{said.decode(errors='replace')}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, int(kib) / 1024)


def best(command, *, runs=3, before=None, **more):
    """The cheapest of `runs` runs by CPU; `before` is called ahead of each, outside the measure."""
    costs = []
    for _ in range(runs):
        if before:
            before()
        costs.append(run(command, **more))
    return min(costs, key=lambda cost: cost.cpu)


def table(head, rows):
    """A Markdown table whose columns line up."""
    cells = [list(map(str, head)), *[list(map(str, row)) for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
