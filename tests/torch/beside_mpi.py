"""mpi4py and the backend in one process, which is one rank: beside_mpi.py mpi|torch|single, what begins first.

"single": MPI begins at a thread level that the backend cannot use.
"""
import sys

import torch
import torch.distributed as dist

import torch_tutti  # noqa: F401


def begin_mpi():
    global MPI, world
    from mpi4py import MPI
    world = MPI.COMM_WORLD


def begin_torch():
    dist.init_process_group("tutti")


def exchange(number):
    """By both in turn, and at the same time."""
    size = world.size
    x = torch.full((3,), float(world.rank + number))
    work = dist.all_reduce(x, async_op=True)
    assert world.allreduce(world.rank + number) == size * (size - 1) // 2 + size * number
    left = (world.rank - 1) % size
    assert world.sendrecv(number + world.rank, (world.rank + 1) % size, source=left) == number + left
    work.wait()
    assert x.tolist() == [size * (size - 1) / 2 + size * number] * 3, x


def main():
    if sys.argv[1] == "single":
        import mpi4py
        mpi4py.rc.thread_level = "single"
        begin_mpi()
        try:
            begin_torch()
        except RuntimeError as error:
            assert 'mpi4py.rc.thread_level = "multiple"' in str(error), error
            assert world.allreduce(1) == world.size
            return
        sys.exit("the backend took a process whose other threads may not call")
    for begin in (begin_mpi, begin_torch) if sys.argv[1] == "mpi" else (begin_torch, begin_mpi):
        begin()
    assert (dist.get_rank(), dist.get_world_size()) == (world.rank, world.size) and world.size > 1
    exchange(1)
    dist.destroy_process_group()
    assert world.allreduce(1) == world.size
    MPI.Finalize()


try:
    import mpi4py  # noqa: F401
except ImportError:
    print("mpi4py is not installed (Debian: python3-mpi4py)")
    sys.exit(77)
main()
