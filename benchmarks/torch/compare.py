#!/usr/bin/env python3
"""torch.distributed over Tutti beside Gloo, in the same processes by turns; a thread a rank.

    export PYTHONPATH=build/lib/torch:build/benchmarks/torch
    tuttirun -n 2 --bind-to core python3 benchmarks/torch/compare.py --json torch.json
    tutti-bench plot torch.json -o pictures/
"""
import argparse
import json
import sys

import torch
import torch.distributed as dist

import torch_tutti  # noqa: F401

import collectives
import nothing
import record
import timing
import training

SIZES = "8,256,4096,65536,524288,4194304,16777216"


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmarks", nargs="*", help="all_reduce, broadcast, all_gather, reduce_scatter, all_to_all, "
                        "copy, own_cost, ddp; without any: all")
    parser.add_argument("--sizes", default=SIZES, help="bytes, a list (%(default)s)")
    parser.add_argument("--models", type=int, default=len(training.MODELS), help="only the first so many of ddp's")
    parser.add_argument("--seconds", type=float, default=0.3, help="for a row of a library (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each library (%(default)s)")
    parser.add_argument("--json", help="rank 0 writes this file")
    options = parser.parse_args(arguments)
    options.benchmarks = options.benchmarks or [*collectives.ALL, "copy", "own_cost", "ddp"]
    for name in options.benchmarks:
        if name not in (*collectives.ALL, "copy", "own_cost", "ddp"):
            parser.error(f"there is no benchmark '{name}'")
    return options


def collective(name, options, groups):
    rows = []
    for size in map(int, options.sizes.split(",")):
        calls = {library: collectives.ALL[name](size // 4, group) for library, group in groups.items()}
        rows.append(record.row(timing.by_turns(calls, options.seconds, options.rounds), key=size))
    return record.case(name, f"torch.distributed: {name}", dist.get_world_size(), rows)


def copies(options):
    rows = []
    for size in map(int, options.sizes.split(",")):
        call = {"none": collectives.copy(size // 4)}
        rows.append(record.row(timing.by_turns(call, options.seconds, options.rounds), key=size))
    return record.case("copy", "A copy by each rank, all at once", dist.get_world_size(), rows)


def own_cost(options, groups):
    rows = []
    for name in collectives.own_costs(None):
        calls = {library: collectives.own_costs(group)[name] for library, group in groups.items()}
        rows.append(record.row(timing.by_turns(calls, options.seconds, options.rounds), label=name))
    return record.case("own_cost", "torch.distributed: all_reduce of 8 B", dist.get_world_size(), rows, label="Call")


def ddp(options, groups, alone):
    rows = []
    for model in training.MODELS[:options.models]:
        name, kept = training.trainings(*model, dist.get_rank(), {**groups, "alone": alone, "none": None})
        calls = {library: one.step for library, one in kept.items()}
        rows.append(record.row(timing.by_turns(calls, options.seconds, options.rounds), label=name))
    return record.case("ddp", f"Step of DistributedDataParallel, batch {training.BATCH}", dist.get_world_size(), rows,
                       label="Model")


def group_of_nothing():
    """Its all_reduce has ended when it begins."""
    def make(options, _):
        return nothing.make_group(options.group_rank, options.group_size)

    dist.Backend.register_backend("nothing", make, extended_api=True)
    return dist.new_group(backend="nothing")


def main():
    options = options_of(sys.argv[1:])
    torch.set_num_threads(1)
    dist.init_process_group("tutti")
    groups = {"tutti": dist.group.WORLD, "gloo": dist.new_group(backend="gloo")}
    alone = [dist.new_group([rank]) for rank in range(dist.get_world_size())][dist.get_rank()]
    cases = []
    for name in options.benchmarks:
        if name == "copy":
            cases.append(copies(options))
        elif name == "own_cost":
            cases.append(own_cost(options, {"tutti": groups["tutti"], "alone": alone, "nothing": group_of_nothing()}))
        elif name == "ddp":
            cases.append(ddp(options, groups, alone))
        else:
            cases.append(collective(name, options, groups))
        if dist.get_rank() == 0:
            print(record.table(cases[-1]), flush=True)
    if options.json and dist.get_rank() == 0:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(record.document(["compare.py", *sys.argv[1:]], options.rounds, cases), file, indent=1)
    dist.barrier()
    dist.destroy_process_group()


main()
