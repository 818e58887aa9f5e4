"""Ranks that wait for each other in several process groups, for ever if they are to."""
import sys

import torch
import torch.distributed as dist

import torch_tutti

dist.init_process_group("tutti")
rank = dist.get_rank()
plain = dist.new_group([0, 1])
named = dist.new_group([1, 0])
torch_tutti.set_group_name("tensor parallel", named)
for group in (None, plain, named):
    dist.all_reduce(torch.ones(3), group=group)
    dist.barrier(group=group)
if sys.argv[1] == "hang":
    if rank == 0:
        dist.recv(torch.ones(3), 1)
    dist.all_reduce(torch.ones(3), group=plain if rank == 1 else named)
