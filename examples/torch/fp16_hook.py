#!/usr/bin/env python3
"""Gradients travel as float16, half the bytes (a communication hook of DistributedDataParallel).

    tuttirun -n 2 python3 examples/torch/fp16_hook.py
"""
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook
from torch.nn.parallel import DistributedDataParallel

import torch_tutti  # noqa: F401

import digits

torch.set_num_threads(1)
dist.init_process_group("tutti")
learn, test = digits.load()
model = digits.make_network()
parallel = DistributedDataParallel(model)
parallel.register_comm_hook(dist.group.WORLD, fp16_compress_hook)
optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
for epoch in range(6):
    for images, labels in digits.batches(*learn, epoch):
        optimizer.zero_grad()
        nn.functional.cross_entropy(parallel(images), labels).backward()
        optimizer.step()
accuracy = digits.accuracy(model, *test)
if dist.get_rank() == 0:
    print(f"accuracy {accuracy:.3f} with gradients as float16")
if accuracy < 0.9 or not digits.same_on_all_ranks(digits.weights_of(model)):
    sys.exit("the ranks have not learned the same, or too little")
dist.destroy_process_group()
