#!/usr/bin/env python3
"""Trains a network on images of digits by DistributedDataParallel, over Tutti and then the same over Gloo.

    tuttirun -n 2 python3 examples/torch/train_digits.py --picture digits.svg
"""
import argparse
import statistics
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import torch_tutti  # noqa: F401  makes the backend known

import digits
import picture


def train(group, epochs):
    """The trained network, what each step took in ms, and the accuracy that there was after so many seconds."""
    learn, test = digits.load()
    model = digits.make_network()
    parallel = DistributedDataParallel(model, process_group=group)
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
    steps, progress = [], []
    for epoch in range(epochs):
        for images, labels in digits.batches(*learn, epoch):
            begun = time.perf_counter()
            optimizer.zero_grad()
            nn.functional.cross_entropy(parallel(images), labels).backward()
            optimizer.step()
            steps.append(1000 * (time.perf_counter() - begun))
        progress.append((sum(steps) / 1000, digits.accuracy(model, *test)))
    return model, steps, progress


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--picture", help="draw the accuracy by time into this SVG file")
    options = parser.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("tutti")
    curves, weights = {}, {}
    for name, group in (("Tutti", dist.group.WORLD), ("Gloo", dist.new_group(backend="gloo"))):
        model, steps, curves[name] = train(group, options.epochs)
        weights[name] = digits.weights_of(model)
        if not digits.same_on_all_ranks(weights[name]):
            sys.exit(f"{name}: the ranks have different weights")
        if dist.get_rank() == 0:
            print(f"{name}: accuracy {curves[name][-1][1]:.3f} after {options.epochs} epochs, "
                  f"{statistics.median(steps):.2f} ms a step", flush=True)
    # Two numbers have one sum; the sums of more depend on the order.
    if dist.get_world_size() <= 2 and not torch.equal(weights["Tutti"], weights["Gloo"]):
        sys.exit("the weights over Tutti are not those over Gloo")
    if curves["Tutti"][-1][1] < 0.9:
        sys.exit("the network has learned too little")
    if options.picture and dist.get_rank() == 0:
        picture.draw(options.picture, f"Accuracy by seconds of training, {dist.get_world_size()} ranks", curves)
    dist.destroy_process_group()


main()
