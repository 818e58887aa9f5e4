#!/usr/bin/env python3
"""Layers that are split over the ranks. As inference of large models has them: a token passes each layer, and after
each layer an all_reduce of 8 KiB adds up what the ranks have of its result. Then as training has them: forward and
backward, with an all_reduce for each layer and direction (Megatron-LM).

    tuttirun -n 2 --bind-to core python3 examples/torch/tensor_parallel.py
"""
import argparse
import statistics
import sys
import time

import torch
import torch.distributed as dist

import torch_tutti  # noqa: F401

WIDTH = 2048  # floats a token: 8 KiB


def make_layers(count, inner):
    """The whole of every layer, the same on all ranks: up to `inner` numbers, and back."""
    torch.manual_seed(1)
    return [(torch.randn(inner, WIDTH) / WIDTH ** 0.5, torch.randn(WIDTH, inner) / inner ** 0.5) for _ in range(count)]


def share_of(layers, rank, size):
    """Rows of the first matrix, and the columns of the second that meet them."""
    return [(up.chunk(size)[rank].contiguous(), down.chunk(size, 1)[rank].contiguous()) for up, down in layers]


def pass_through(layers, token, add_up):
    for up, down in layers:
        part = down @ torch.relu(up @ token)
        add_up(part)
        token = token + part
    return token


class Enter(torch.autograd.Function):
    """Before a split layer (Megatron's f): all ranks have the inputs; each has a part of the slopes."""

    @staticmethod
    def forward(_, inputs):
        return inputs.view_as(inputs)

    @staticmethod
    def backward(_, slopes):
        slopes = slopes.clone()
        dist.all_reduce(slopes)
        return slopes


class Leave(torch.autograd.Function):
    """Behind it (Megatron's g): each rank has a part of the outputs; all have the slopes."""

    @staticmethod
    def forward(_, part):
        part = part.clone()
        dist.all_reduce(part)
        return part

    @staticmethod
    def backward(_, slopes):
        return slopes


def train(layers, enter, leave, steps=5, rate=0.05):
    """The layers after some steps in which they learn to give the token back as its negative, and the losses."""
    layers = [[matrix.clone().requires_grad_() for matrix in layer] for layer in layers]
    token = torch.randn(WIDTH, generator=torch.Generator().manual_seed(3))
    losses = []
    for _ in range(steps):
        result = token
        for up, down in layers:
            result = result + leave(down @ torch.relu(up @ enter(result)))
        loss = ((result + token) ** 2).mean()
        loss.backward()
        losses.append(float(loss))
        with torch.no_grad():
            for matrix in (matrix for layer in layers for matrix in layer):
                matrix -= rate * matrix.grad
                matrix.grad = None
    return [[matrix.detach() for matrix in layer] for layer in layers], losses


def check_training(whole, rank, size):
    trained, losses = train(share_of(whole, rank, size), Enter.apply, Leave.apply)
    expected, _ = train(whole, lambda inputs: inputs, lambda part: part)
    pairs = zip(sum(trained, []), sum(map(list, share_of(expected, rank, size)), []))
    difference = max(float((mine - others).abs().max()) for mine, others in pairs)
    if rank == 0:
        print(f"training: loss {losses[0]:.4f} to {losses[-1]:.4f}; the matrices differ from one rank's by "
              f"{difference:.1e} at most", flush=True)
    if not difference < 1e-6 or losses[-1] > 0.5 * losses[0]:
        sys.exit("training: the matrices are not those of one rank, or have learned too little")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=16)
    parser.add_argument("--inner", type=int, default=512, help="numbers between a layer's two matrices (%(default)s)")
    parser.add_argument("--tokens", type=int, default=100)
    options = parser.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("tutti")
    rank, size = dist.get_rank(), dist.get_world_size()
    whole = make_layers(options.layers, options.inner)
    mine = share_of(whole, rank, size)
    token = torch.randn(WIDTH, generator=torch.Generator().manual_seed(2))
    gloo = dist.new_group(backend="gloo")
    ways = {"no communication": lambda part: None, "Tutti": dist.all_reduce,
            "Gloo": lambda part: dist.all_reduce(part, group=gloo)}
    for name, add_up in ways.items():
        times = []
        for _ in range(options.tokens):
            begun = time.perf_counter()
            result = pass_through(mine, token, add_up)
            times.append(1e6 * (time.perf_counter() - begun))
        if rank == 0:
            print(f"{name}: {statistics.median(times):.0f} us a token, "
                  f"{statistics.median(times) / options.layers:.1f} us a layer", flush=True)
        expected = pass_through(whole, token, lambda part: None)
        if name != "no communication" and not torch.allclose(result, expected, rtol=1e-3, atol=1e-3):
            sys.exit(f"{name}: the result is not that of the whole layers")
    check_training(whole, rank, size)
    dist.destroy_process_group()


main()
