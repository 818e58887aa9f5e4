"""Times of calls that all ranks make together, of several libraries by turns."""
import statistics
import time

import torch
import torch.distributed as dist

WARM_UPS = 3
LEAST = 3  # iterations a round
MOST = 5000


def iterate(call, iterations):
    """What each iteration took the rank that took longest, in us. Ranks begin together, then run on."""
    dist.barrier()
    marks = [time.perf_counter_ns()]
    for _ in range(iterations):
        call()
        marks.append(time.perf_counter_ns())
    times = torch.tensor(marks, dtype=torch.float64).diff() / 1000
    dist.all_reduce(times, dist.ReduceOp.MAX)
    return times.tolist()


def iterations_for(call, seconds):
    """How many fill the time, the same number on all ranks."""
    iterate(call, WARM_UPS)
    each = statistics.median(iterate(call, LEAST)) / 1e6
    return max(LEAST, min(MOST, int(seconds / each)))


def by_turns(calls, seconds, rounds):
    """The median of each round, in us, of every library: `calls` has one call a library. Each library gets the time
    `seconds`, dealt over the rounds, and warm-ups in each round."""
    iterations = {library: iterations_for(call, seconds / rounds) for library, call in calls.items()}
    medians = {library: [] for library in calls}
    for _ in range(rounds):
        for library, call in calls.items():
            times = iterate(call, WARM_UPS + iterations[library])[WARM_UPS:]
            medians[library].append(statistics.median(times))
    return medians
