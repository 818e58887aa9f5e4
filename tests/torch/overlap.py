"""Whether collectives go on beside the computing, or run in the call: overlap.py beside|in_call|rank_0_has_cores"""
import os
import sys

import torch
import torch.distributed as dist

wanted = sys.argv[1]
if wanted == "rank_0_has_cores":
    os.environ["TUTTI_CORES"] = "2" if os.environ["PMIX_RANK"] == "0" else "1"
torch.set_num_threads(1)

import torch_tutti  # noqa: E402

dist.init_process_group("tutti")
rank, size = dist.get_rank(), dist.get_world_size()
assert size == 2


def under_way():
    """Rank 1 begins when rank 0 says that it has, so rank 0's operation cannot have ended before."""
    data = torch.full((3, 2), rank + 1.).t()  # not contiguous: the result is copied at the end
    if rank == 1:
        dist.recv(torch.zeros(1), 0)
    work = dist.all_reduce(data, async_op=True)
    future = work.get_future()
    doubled = future.then(lambda done: done.value()[0] * 2)
    if rank == 0:
        assert not work.is_completed() and not future.done() and not doubled.done()
        dist.send(torch.zeros(1), 1)
    assert torch.equal(doubled.wait(), torch.full((2, 3), 6.))
    assert work.wait() and work.is_completed()
    assert torch.equal(data, torch.full((2, 3), 3.))


def in_call():
    data = torch.full((5,), rank + 1.)
    work = dist.all_reduce(data, async_op=True)
    assert work.is_completed() and work.get_future().done()
    assert torch.equal(data, torch.full((5,), 3.))


def training():
    """Gradients in many buckets, whose sums the backward pass leaves under way."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(*(torch.nn.Linear(40, 40) for _ in range(4)))
    alone = [torch.autograd.grad(model(torch.full((3, 40), peer + 1.)).sum(), list(model.parameters())) for peer in (0, 1)]
    parallel = torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=0.001)
    for _ in range(3):
        parallel.zero_grad()
        parallel(torch.full((3, 40), rank + 1.)).sum().backward()
        for parameter, first, second in zip(model.parameters(), *alone):
            torch.testing.assert_close(parameter.grad, (first + second) / 2)


assert torch_tutti.overlaps() == (wanted == "beside")
if torch_tutti.overlaps():
    for _ in range(50):
        under_way()
else:
    in_call()
training()
gloo = dist.new_group(backend="gloo")
try:
    torch_tutti.overlaps(gloo)
    raise AssertionError("a group of Gloo has an answer")
except RuntimeError as error:
    assert "another backend" in str(error), error
dist.barrier()
dist.destroy_process_group()
