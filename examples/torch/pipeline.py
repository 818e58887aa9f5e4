#!/usr/bin/env python3
"""Each rank has some layers of a network, and micro-batches pass them one forward, one backward (1F1B): a rank that
others are behind of begins with as many forward passes; from then on each is followed by the backward pass of the oldest
micro-batch. The weights are bit by bit those of one rank, which adds up the gradients of the micro-batches too.

    tuttirun -n 3 python3 examples/torch/pipeline.py
"""
import collections
import sys

import torch
import torch.distributed as dist
from torch import nn

import torch_tutti  # noqa: F401

import digits

EPOCHS, MICRO_BATCHES, RATE = 3, 4, 0.3


class Stage:
    """The layers of one rank among `size`: with one it has all, and sends nothing."""

    def __init__(self, rank, size):
        network = digits.make_network()
        begin, end = (len(network) * number // size for number in (rank, rank + 1))
        self.before = rank - 1 if rank > 0 else None
        self.behind = rank + 1 if rank + 1 < size else None
        self.ahead = size - 1 - rank  # forward passes before the first backward pass
        self.layers = network[begin:end]
        self.input_shape = network[:begin](torch.zeros(1, 1, 8, 8)).shape[1:]
        self.kept = collections.deque()
        self.sent = []

    def forward(self, images, labels):
        if self.before is None:
            inputs = images
        else:
            inputs = torch.empty(len(images), *self.input_shape)
            dist.recv(inputs, self.before)
            inputs.requires_grad_()
        outputs = self.layers(inputs)
        if self.behind is None:
            outputs = nn.functional.cross_entropy(outputs, labels, reduction="sum")
        else:
            self.send(outputs.detach(), self.behind)
        self.kept.append((inputs, outputs))

    def backward(self):
        inputs, outputs = self.kept.popleft()
        if self.behind is None:
            outputs.backward()
        else:
            slopes = torch.empty_like(outputs)
            dist.recv(slopes, self.behind)
            outputs.backward(slopes)
        if self.before is not None:
            self.send(inputs.grad, self.before)

    def send(self, tensor, to):
        """Not waiting: the neighbour may be sending to this rank."""
        self.sent.append((dist.isend(tensor, to), tensor))

    def step(self, images, labels):
        micro_batches = list(zip(images.chunk(MICRO_BATCHES), labels.chunk(MICRO_BATCHES)))
        ahead = min(self.ahead, len(micro_batches))
        for micro_batch in micro_batches[:ahead]:
            self.forward(*micro_batch)
        for micro_batch in micro_batches[ahead:]:
            self.forward(*micro_batch)
            self.backward()
        for _ in range(ahead):
            self.backward()
        for work, _ in self.sent:
            work.wait()
        self.sent.clear()
        with torch.no_grad():
            for parameter in self.layers.parameters():
                parameter -= RATE / len(images) * parameter.grad
                parameter.grad = None


def train(stage, learn):
    for epoch in range(EPOCHS):
        for images, labels in digits.batches(*learn, epoch):
            stage.step(images, labels)
    return digits.weights_of(stage.layers)


torch.set_num_threads(1)
dist.init_process_group("tutti")
learn, test = digits.load(whole=True)
mine = train(Stage(dist.get_rank(), dist.get_world_size()), learn)
every = [None] * dist.get_world_size()
dist.all_gather_object(every, mine)
if dist.get_rank() == 0:
    alone = Stage(0, 1)
    expected = train(alone, learn)
    accuracy = digits.accuracy(alone.layers, *test)
    print(f"accuracy {accuracy:.3f}; weights of the stages: {[len(weights) for weights in every]}")
    if not torch.equal(torch.cat(every), expected):
        sys.exit("the weights are not those of one rank")
    if accuracy < 0.9:
        sys.exit("the network has learned too little")
dist.destroy_process_group()
