"""Images of digits, a network that learns them, and what the examples ask of it."""
import pathlib

import torch
import torch.distributed as dist
from torch import nn

BATCH = 32  # a rank
FILE = pathlib.Path(__file__).parent.parent / "data" / "optdigits.csv"


def load(whole=False):
    """The rank's share of the images to learn from, as many for each rank, or the whole; and all those to test with."""
    with open(FILE, encoding="ascii") as lines:
        rows = torch.tensor([[float(word) for word in line.split(",")] for line in lines])
    images, labels = rows[:, :64].reshape(-1, 1, 8, 8) / 16, rows[:, 64].long()
    is_test = torch.arange(len(rows)) % 5 == 4
    each = int((~is_test).sum()) // (1 if whole else dist.get_world_size())
    begin = 0 if whole else dist.get_rank() * each
    learn = [part[~is_test][begin:begin + each] for part in (images, labels)]
    return learn, [images[is_test], labels[is_test]]


def make_network():
    """The same on all ranks."""
    torch.manual_seed(1)
    return nn.Sequential(nn.Conv2d(1, 20, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(20, 32, 3, padding=1),
                         nn.ReLU(), nn.Flatten(), nn.Linear(512, 128), nn.ReLU(), nn.Linear(128, 10))


def batches(images, labels, epoch):
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(epoch))
    return [(images[some], labels[some]) for some in order.split(BATCH)]


def accuracy(model, images, labels):
    with torch.no_grad():
        return float((model(images).argmax(1) == labels).float().mean())


def weights_of(model):
    return torch.cat([torch.empty(0)] + [parameter.detach().flatten() for parameter in model.parameters()])


def same_on_all_ranks(values):
    """Whether the values are equal bit by bit everywhere."""
    first = values.clone()
    dist.broadcast(first, 0)
    same = torch.tensor([torch.equal(first, values)])
    dist.all_reduce(same, dist.ReduceOp.MIN)
    return bool(same)
