"""Under torchrun --max-restarts: a rank dies in the first attempt, and the job runs to its end in the second."""
import os
import signal

import torch
import torch.distributed as dist

import torch_tutti  # noqa: F401

dist.init_process_group("tutti")
data = torch.ones(1000)
dist.all_reduce(data)
assert data[0] == dist.get_world_size()
if os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
    if dist.get_rank() == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    dist.all_reduce(data)
    raise AssertionError("the dead rank has come")
dist.barrier()
dist.destroy_process_group()
