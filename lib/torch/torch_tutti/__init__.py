"""Tutti as a backend of torch.distributed.

    import torch_tutti
    torch.distributed.init_process_group("tutti")

Under tuttirun nothing else is needed; otherwise ranks find each other as torch.distributed has it.
"""
import atexit
import datetime
import importlib
import os
import socket

import torch.distributed as dist

from torch_tutti import _C

__all__ = ["monitored_barrier"]


def _make_group(options, _):
    return _C.make_group(options.store, options.group_rank, options.group_size, options.timeout, options.group_id,
                         list(options.global_ranks_in_group))


def _rendezvous_of_launcher(_url, timeout=dist.default_pg_timeout, **_options):
    """The ranks of tuttirun or another PMIx launcher, and a store at rank 0 whose port the system chooses."""
    rank, size = _C.launched_rank_and_size()
    if rank == 0:
        store = dist.TCPStore("localhost", 0, size, True, timeout, wait_for_workers=False)
        _C.tell_all(f"{socket.gethostname()} {store.port}")
        address = "localhost"
    else:
        address, port = _C.tell_all("").split()
        if address == socket.gethostname():
            address = "localhost"
        store = dist.TCPStore(address, int(port), size, False, timeout, wait_for_workers=False)
    yield store, rank, size


# The package has a function of this name, too.
_handlers = importlib.import_module("torch.distributed.rendezvous")._rendezvous_handlers
_rendezvous_by_variables = _handlers["env"]


def _rendezvous_by_environment(url, **options):
    """env:// as torch has it where MASTER_ADDR is set; a launcher of Tutti's ranks does without it."""
    if "MASTER_ADDR" in os.environ or not _C.is_launched():
        return _rendezvous_by_variables(url, **options)
    return _rendezvous_of_launcher(url, **options)


def monitored_barrier(group=None, timeout=datetime.timedelta(minutes=30), wait_all_ranks=False):
    """dist.monitored_barrier, which torch 1 has for Gloo only: rank 0 raises an error that names who is late."""
    (group or dist.group.WORLD).monitored_barrier(timeout, wait_all_ranks)


_handlers["env"] = _rendezvous_by_environment
dist.Backend.register_backend("tutti", _make_group, extended_api=True)
# Before Python's own objects end. Ranks that wait for this one get an error.
atexit.register(_C.leave)
