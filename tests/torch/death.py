"""A rank that dies without a word, and no launcher: the others get an error, and their ends do not hang."""
import os
import signal
import sys
import tempfile
import time

import torch


def run_rank(rank, size, directory):
    import torch.distributed as dist
    import torch_tutti  # noqa: F401

    dist.init_process_group("tutti", init_method=f"file://{directory}/store", rank=rank, world_size=size)
    data = torch.ones(1000)
    dist.all_reduce(data)
    assert data[0] == size
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    begun = time.monotonic()
    try:
        while True:
            dist.all_reduce(data)
    except RuntimeError as error:
        # Another rank may have heard of it first, and left.
        assert "rank 1 of the communicator was lost" in str(error) or "has left the job" in str(error), error
        print(f"rank {rank} after {time.monotonic() - begun:.1f} s: {error}", flush=True)
        assert time.monotonic() - begun < 10
        sys.exit(0)


if len(sys.argv) > 1:
    run_rank(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
with tempfile.TemporaryDirectory() as folder:
    ranks = 3
    pids = [os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, __file__, str(rank), str(ranks), folder])
            for rank in range(ranks)]
    ends = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
assert ends == [0, -signal.SIGKILL, 0], ends
