"""When ranks die, are late, fail or fork: errors name rank, host and operation, and nothing hangs.

Each scenario has processes of its own, which no launcher knows. A rank that has its error waits for the others without
torch.distributed, so that no rank learns anything from another's end.
"""
import datetime
import multiprocessing
import os
import pathlib
import shutil
import signal
import socket
import sys
import tempfile
import time

import torch
import torch.distributed as dist

import torch_tutti
from free_port import free_port

RANKS = 4


def error_of(call):
    try:
        call()
    except RuntimeError as error:
        return str(error)
    raise AssertionError("no error")


def milliseconds(count):
    return datetime.timedelta(milliseconds=count)


def meet(folder, name, ranks):
    """All these ranks have come here."""
    (folder / f"{name}.{dist.get_rank()}").touch()
    while not all((folder / f"{name}.{rank}").exists() for rank in ranks):
        time.sleep(0.001)


def start(folder, rank, port, **options):
    dist.init_process_group("tutti", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=RANKS, **options)
    data = torch.ones(1000)
    for _ in range(10):
        dist.all_reduce(data.fill_(1))
    assert data[0] == RANKS
    return data


def death(folder, rank, port, victim, beside=False):
    """The victim dies without a word. Rank 0 holds the store. Beside: collectives go on beside the computing."""
    if beside:
        os.environ.update(TUTTI_PROGRESS="thread", TUTTI_CORES="2")
        torch.set_num_threads(1)
    data = start(folder, rank, port)
    assert torch_tutti.overlaps() == beside
    others = [other for other in range(RANKS) if other != victim]
    if rank == victim:
        while not all((folder / f"waits.{other}").exists() for other in others):
            time.sleep(0.001)
        (folder / "died").write_text(str(time.monotonic() + 0.3))
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGKILL)
    (folder / f"waits.{rank}").touch()
    if beside:
        error = error_of(dist.all_reduce(data, async_op=True).get_future().wait)
    else:
        error = error_of(lambda: dist.all_reduce(data))
    seconds = time.monotonic() - float((folder / "died").read_text())
    assert f"allreduce: peer lost: rank {victim} of the communicator was lost" in error, error
    assert "4000 bytes" in error and socket.gethostname() in error, error
    assert seconds < 10, seconds  # one on a quiet machine
    meet(folder, "failed", others)
    dist.destroy_process_group()


def late(folder, rank, port):
    start(folder, rank, port)
    group = dist.new_group(timeout=milliseconds(1_500))
    meet(folder, "begin", range(RANKS))
    if rank != 2:
        error = error_of(lambda: dist.all_reduce(torch.ones(3), group=group))
        assert "has not ended within the timeout of 1500 ms" in error and error.endswith("answer: rank 2"), error
    meet(folder, "first", range(RANKS))
    patient = dist.new_group(timeout=milliseconds(60_000))
    if rank < 2:
        work = dist.barrier(group=patient, async_op=True)
        error = error_of(lambda: work.wait(milliseconds(1_000)))
        assert "has not ended within the timeout of 1000 ms" in error and error.endswith("answer: rank 2, 3"), error
        error = error_of(lambda: dist.irecv(torch.ones(1), 3, group=patient).wait(milliseconds(50)))
        assert "recv has not ended within the timeout of 50 ms" in error and "rank 3" in error, error
    meet(folder, "second", range(RANKS))
    dist.barrier()
    dist.destroy_process_group()


def exception(folder, rank, port):
    """A rank fails with messages under way that nobody takes; the others wait for it."""
    data = start(folder, rank, port)
    if rank == 1:
        dist.isend(torch.ones(1 << 20), 0)
        dist.irecv(torch.ones(1), 0)
        print("The next error is a part of the test:", file=sys.stderr, flush=True)
        raise ValueError("no input")
    assert "rank 1 of the communicator was lost" in error_of(lambda: dist.all_reduce(data))
    meet(folder, "failed", [0, 2, 3])


class Squares(torch.utils.data.Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        return torch.tensor([float(index) ** 2])


def use_group_in_child():
    error = error_of(lambda: dist.all_reduce(torch.ones(1)))
    assert "forked" in error, error


def fork(folder, rank, port):
    data = start(folder, rank, port)
    for batch in torch.utils.data.DataLoader(Squares(), batch_size=10, num_workers=2):
        total = batch.sum()
        dist.all_reduce(total)
        assert total == RANKS * batch.sum()
    child = multiprocessing.get_context("fork").Process(target=use_group_in_child)
    child.start()
    child.join(20)
    assert child.exitcode == 0
    plain = os.fork()
    if plain == 0:
        sys.exit(7)  # with what Python does at exit
    assert os.waitstatus_to_exitcode(os.waitpid(plain, 0)[1]) == 7
    dist.all_reduce(data.fill_(1))
    assert data[0] == RANKS
    dist.destroy_process_group()


def end_of(pid, patience=40):
    until = time.monotonic() + patience
    while time.monotonic() < until:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "hangs"


SCENARIOS = (
    (lambda *rank: death(*rank, victim=3), [0, 0, 0, -signal.SIGKILL]),
    (lambda *rank: death(*rank, victim=0), [-signal.SIGKILL, 0, 0, 0]),
    (lambda *rank: death(*rank, victim=3, beside=True), [0, 0, 0, -signal.SIGKILL]),
    (late, [0, 0, 0, 0]),
    (exception, [0, 1, 0, 0]),
    (fork, [0, 0, 0, 0]),
)
for scenario, wanted in SCENARIOS:
    folder = tempfile.mkdtemp()  # removed by this process only
    port = free_port()
    pids = []
    for rank in range(RANKS):
        pids.append(os.fork())
        if pids[-1] == 0:
            scenario(pathlib.Path(folder), rank, port)
            sys.exit(0)
    ends = [end_of(pid) for pid in pids]
    shutil.rmtree(folder)
    assert ends == wanted, (scenario, ends)
