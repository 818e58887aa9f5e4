"""Groups of backend tutti beside a default group of another backend, of any ranks and in any order; as ranks of a job
whose variables say who they are. `reversed`: by other numbers than the launcher's."""
import os
import sys

import torch
import torch.distributed as dist

import torch_tutti  # noqa: F401

words = sys.argv[1:]
if "reversed" in words:
    os.environ["RANK"] = str(int(os.environ["WORLD_SIZE"]) - 1 - int(os.environ["RANK"]))
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
assert size == 4


def use(members, group):
    if rank in members:
        data = torch.full((3,), rank + 1.)
        dist.all_reduce(data, group=group)
        assert data.tolist() == [sum(members) + len(members)] * 3, (members, data)
        data = torch.full((2,), float(rank))
        dist.broadcast(data, members[-1], group=group)
        assert data.tolist() == [members[-1]] * 2, (members, data)


def use_groups(parts):
    made = [(members, dist.new_group(members, backend="tutti")) for members in parts]
    for members, group in made + made[::-1]:
        use(members, group)


rounds = 1 if "TORCHELASTIC_RUN_ID" in os.environ else 2  # torchrun has one store
for more in reversed(range(rounds)):
    if "all_first" in words:
        use_groups([[0, 1, 2, 3]])
    use_groups([[1, 3], [0, 2], [0, 1], [2, 3]])
    use_groups([[3], [0, 1, 2, 3], [1, 2, 3], [0]])
    if more:
        # Again, by a new store; the job is the same.
        dist.destroy_process_group()
        os.environ["MASTER_PORT"] = str(int(os.environ["MASTER_PORT"]) + 1)
        dist.init_process_group("gloo")
dist.barrier()
if rank == 0:
    print("all groups are right")
