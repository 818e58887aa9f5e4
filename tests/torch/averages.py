"""Half precision holds the average, and not the sum; whole numbers are added first. Only results are written; as ranks."""
import torch
import torch.distributed as dist

import torch_tutti  # noqa: F401

Op = dist.ReduceOp
dist.init_process_group("tutti")
rank, size = dist.get_rank(), dist.get_world_size()
half = torch.full((4,), 40000., dtype=torch.float16)
outputs = [half.clone() for _ in range(4)]
dist.all_reduce(outputs[0], Op.AVG)
dist.all_reduce_coalesced(outputs[1:2], Op.AVG)
given = half.repeat(size)
dist.reduce_scatter_tensor(outputs[2], given, Op.AVG)
dist.reduce_scatter(outputs[3], list(given.chunk(size)), Op.AVG)
reduced = half.clone()
dist.reduce(reduced, 0, Op.AVG)
for output in (*outputs, reduced) if rank == 0 else outputs:
    torch.testing.assert_close(output, half)
for kept in (given,) if rank == 0 else (given, reduced):
    torch.testing.assert_close(kept, half.repeat(len(kept) // 4))
odd = torch.full((2,), 2 * rank + 1)
dist.all_reduce(odd, Op.AVG)
torch.testing.assert_close(odd, torch.full((2,), size))
try:
    dist.all_reduce(torch.ones(2).bool(), Op.AVG)
    raise AssertionError("bool has an average")
except RuntimeError as error:
    assert "bool has no average" in str(error), error
