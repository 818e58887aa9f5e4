"""Ranks of tuttirun meet where a script says half of what torch wants: the launcher knows the rest."""
import os

import torch
import torch.distributed as dist

import torch_tutti  # noqa: F401

number = int(os.environ["PMIX_RANK"])
assert "RANK" not in os.environ
os.environ["MASTER_ADDR"] = "no-such-host.invalid"
os.environ["MASTER_PORT"] = "29500"
for options in ({}, {"world_size": 3, "rank": number}):
    if options:
        del os.environ["MASTER_ADDR"]
    for backend in ("tutti", "gloo"):
        dist.init_process_group(backend, **options)
        assert (dist.get_rank(), dist.get_world_size()) == (number, 3)
        data = torch.ones(3)
        dist.all_reduce(data)
        assert data.tolist() == [3, 3, 3]
        dist.destroy_process_group()
for options, words in (({"world_size": 3, "rank": (number + 1) % 3}, "'rank': "), ({"world_size": 2, "rank": number % 2}, "2")):
    try:
        dist.init_process_group("tutti", **options)
        raise AssertionError("other numbers than the launcher's are taken")
    except ValueError as error:
        assert f"this process is rank {number} of 3 to its launcher" in str(error) and words in str(error), error
