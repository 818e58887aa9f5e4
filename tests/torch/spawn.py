"""The parent of torch.multiprocessing's workers hears the error of the worker that has failed, not those of the others,
which wait for it: also when that worker takes long to end. usage: spawn.py spawn|fork"""
import atexit
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from free_port import free_port

RANKS = 3


def work(rank, port, by_work):
    if rank == 1:
        atexit.register(time.sleep, 0.7)  # behind what torch_tutti does at the end
    import torch_tutti  # noqa: F401
    dist.init_process_group("tutti", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=RANKS)
    data = torch.ones(4)
    dist.all_reduce(data)
    assert data[0] == RANKS
    if rank == 1:
        raise ValueError("no such file: the worker's own words")
    if not by_work:
        dist.all_reduce(data)
    dist.all_reduce(data, async_op=True).wait()


if __name__ == "__main__":
    for by_work in (False, True):  # which way the others call
        begun = time.monotonic()
        try:
            mp.start_processes(work, args=(free_port(), by_work), nprocs=RANKS, start_method=sys.argv[1])
        except mp.ProcessRaisedException as error:
            assert error.error_index == 1 and "ValueError: no such file: the worker's own words" in str(error), error
        else:
            raise AssertionError("no error")
        print(f"{sys.argv[1]}: heard after {time.monotonic() - begun:.1f} s", flush=True)
