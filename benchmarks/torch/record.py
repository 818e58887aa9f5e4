"""What was measured: a table for people, and a file that `tutti-bench plot`, `report` and `diff` read."""
import datetime
import os
import platform
import statistics

import torch

NAMES = {"tutti": "Tutti", "gloo": "Gloo", "alone": "group of one rank", "none": "no communication",
         "nothing": "a backend that does nothing"}
OWN, PEER = "tutti", "gloo"
SAME_FACTOR = 1.25


def size_text(size):
    for unit in ("B", "KiB", "MiB"):
        if size < 1024 or unit == "MiB":
            return f"{size:g} {unit}"
        size /= 1024


def figures(medians):
    return {"median": statistics.median(medians), "low": min(medians), "high": max(medians), "runs": medians}


def row(medians, key=None, label=None):
    """`medians`: those of the rounds, a list a library. The ratio's interval is what the rounds showed."""
    found = {"key": key, "labels": [label] if label else [],
             "libraries": {library: figures(one) for library, one in medians.items()}}
    if OWN in medians and PEER in medians:
        ratios = [own / peer for own, peer in zip(medians[OWN], medians[PEER])]
        low, high = min(ratios), max(ratios)
        # As in compare/ratio.hpp.
        verdict = ("faster" if high < 1 else "slower" if low > 1 else
                   "same" if low >= 1 / SAME_FACTOR and high <= SAME_FACTOR else None)
        found.update(ratio=found["libraries"][OWN]["median"] / found["libraries"][PEER]["median"], ratio_low=low,
                     ratio_high=high, verdict=verdict, better_peer=PEER)
    return found


def case(benchmark, title, ranks, rows, label=None):
    return {"benchmark": benchmark, "title": title, "group": "torch.distributed", "ranks": ranks, "memory": "malloc",
            "key": "Size" if label is None else "", "value": "Time", "unit": "us", "better": "lower",
            "labels": [label] if label else [], "libraries": list(rows[0]["libraries"]), "library_names": NAMES,
            "rows": rows}


def document(command, rounds, cases):
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    environment = {"date": datetime.date.today().isoformat(), "processor": models[0] if models else platform.machine(),
                   "cores": os.cpu_count(), "load": [round(load, 2) for load in os.getloadavg()],
                   "torch": torch.__version__, "kernel": platform.release()}
    return {"format": "tutti-bench-comparison", "version": 1, "command": command, "environment": environment,
            "repetitions": rounds, "cases": cases}


def table(one):
    """The case as lines of text."""
    libraries = one["libraries"]
    both = OWN in libraries and PEER in libraries
    lines = [f"# {one['title']}, {one['ranks']} ranks; us: medians (least and greatest of a round)",
             f"{one['key'] or one['labels'][0]:<16}" + "".join(f"{NAMES[library]:>32}" for library in libraries) +
             ("  Gloo/Tutti" if both else "")]
    for each in one["rows"]:
        text = f"{each['labels'][0] if each['labels'] else size_text(each['key']):<16}"
        for library in libraries:
            found = each["libraries"][library]
            text += f"{found['median']:>12.1f}{'(%.1f - %.1f)' % (found['low'], found['high']):>20}"
        lines.append(text + (f"{1 / each['ratio']:>12.1f}" if both else ""))
    return "\n".join(lines) + "\n"
