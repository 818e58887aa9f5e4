"""A program that ends with its groups alive, in a hook's state too, and makes no mistake: tuttirun --check is silent."""
import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook

import torch_tutti  # noqa: F401

dist.init_process_group("tutti")
rank, size = dist.get_rank(), dist.get_world_size()
half = dist.new_group([0], backend="tutti")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(10, 3))
model.register_comm_hook(dist.group.WORLD, fp16_compress_hook)
for _ in range(3):
    model(torch.full((4, 10), rank + 1.)).sum().backward()
assert model.module.weight.grad[0, 0] == 3 * 4 * (size + 1) / 2
work = dist.all_reduce(torch.ones(3), async_op=True)
work.wait()
