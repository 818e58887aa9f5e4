"""Steps of training: forward, backward, and the optimizer's, on random data."""
import copy

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

BATCH = 32
CLASSES = 10


def mlp(*widths):
    layers = []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(widths[-1], CLASSES))


def cnn():
    return nn.Sequential(nn.Conv2d(1, 20, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(20, 32, 3, padding=1),
                         nn.ReLU(), nn.Flatten(), nn.Linear(512, 128), nn.ReLU(), nn.Linear(128, CLASSES))


MODELS = (
    ("MLP", (64,), lambda: mlp(64, 256)),
    ("CNN", (1, 8, 8), cnn),
    ("MLP", (144,), lambda: mlp(144, 1024, 1024)),
    ("MLP", (144,), lambda: mlp(144, 2048, 2048, 2048)),
)


def size_of(model):
    size = sum(parameter.numel() * parameter.element_size() for parameter in model.parameters()) / 1024
    return f"{size:.0f} KiB" if size < 1024 else f"{size / 1024:.1f} MiB"


class Training:
    """One model that a library keeps the same on all ranks of a group; without a group each rank trains for itself."""

    def __init__(self, model, shape, rank, group):
        own = copy.deepcopy(model)
        self.model = own if group is None else DistributedDataParallel(own, process_group=group)
        self.optimizer = torch.optim.SGD(own.parameters(), 0.01)
        generator = torch.Generator().manual_seed(rank)
        self.inputs = torch.randn(BATCH, *shape, generator=generator)
        self.labels = torch.randint(CLASSES, (BATCH,), generator=generator)

    def step(self):
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(self.inputs), self.labels)
        loss.backward()
        self.optimizer.step()
        return loss.item()


def trainings(name, shape, make, rank, groups):
    """The row's name, and a training for each group, all of which train the model equally."""
    torch.manual_seed(0)
    model = make()
    found = {library: Training(model, shape, rank, group) for library, group in groups.items()}
    losses = {library: [one.step() for _ in range(3)][-1] for library, one in found.items()}
    for library, loss in losses.items():
        if library not in ("alone", "none"):
            torch.testing.assert_close(loss, losses["gloo"], msg=lambda text: f"losses of {library} and Gloo: {text}")
    return f"{name}, {size_of(model)}", found
