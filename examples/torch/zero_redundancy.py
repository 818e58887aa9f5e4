#!/usr/bin/env python3
"""Each rank keeps the optimizer's state of its share of the parameters only (ZeroRedundancyOptimizer).

    tuttirun -n 4 python3 examples/torch/zero_redundancy.py
"""
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

import torch_tutti  # noqa: F401

import digits

EPOCHS = 3


def train(make_optimizer):
    learn, test = digits.load()
    model = digits.make_network()
    parallel = DistributedDataParallel(model)
    optimizer = make_optimizer(model.parameters())
    for epoch in range(EPOCHS):
        for images, labels in digits.batches(*learn, epoch):
            optimizer.zero_grad()
            nn.functional.cross_entropy(parallel(images), labels).backward()
            optimizer.step()
    return model, optimizer, digits.accuracy(model, *test)


def numbers_kept(optimizer):
    """How many numbers of state this rank's optimizer has."""
    return sum(value.numel() for state in optimizer.state.values() for value in state.values() if value.numel() > 1)


torch.set_num_threads(1)
dist.init_process_group("tutti")
whole, adam, _ = train(lambda parameters: torch.optim.Adam(parameters, 0.002))
shared, zero, accuracy = train(lambda parameters: ZeroRedundancyOptimizer(parameters, torch.optim.Adam, lr=0.002))
kept = [None] * dist.get_world_size()
dist.all_gather_object(kept, numbers_kept(zero.optim))
if dist.get_rank() == 0:
    print(f"accuracy {accuracy:.3f}; numbers of state: {numbers_kept(adam)} on each rank without, {kept} with "
          f"ZeroRedundancyOptimizer")
if sum(kept) != numbers_kept(adam):
    sys.exit("the ranks' shares are not the whole")
if not torch.equal(digits.weights_of(whole), digits.weights_of(shared)):
    sys.exit("the weights differ from those of an optimizer that keeps everything")
dist.destroy_process_group()
