"""A sum of all ranks over tutti, and over Gloo by the same store."""
import torch
import torch.distributed as dist

import torch_tutti  # noqa: F401

dist.init_process_group("tutti")
rank, size = dist.get_rank(), dist.get_world_size()
for group in (None, dist.new_group(backend="gloo")):
    data = torch.full((3,), rank + 1.)
    dist.all_reduce(data, group=group)
    assert data.tolist() == [size * (size + 1) / 2] * 3, data
if rank == 0:
    print(f"the sum of {size} ranks is right")
