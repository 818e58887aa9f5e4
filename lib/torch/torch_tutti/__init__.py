"""Tutti as a backend of torch.distributed.

    import torch_tutti
    torch.distributed.init_process_group("tutti")

Under tuttirun nothing else is needed; otherwise ranks find each other as torch.distributed has it.
"""
import atexit
import contextlib
import datetime
import importlib
import os
import socket

import torch
import torch.distributed as dist

from torch_tutti import _C

__all__ = ["monitored_barrier", "overlaps"]


def _make_group(options, _):
    return _C.make_group(options.store, options.group_rank, options.group_size, options.timeout, options.group_id,
                         list(options.global_ranks_in_group))


def _rendezvous_of_launcher(_url, timeout=datetime.timedelta(minutes=30), **_options):
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


def _backend_of(group):
    """Torch 2's groups have a backend for each kind of device."""
    return group._get_backend(torch.device("cpu")) if hasattr(group, "_get_backend") else group


def overlaps(group=None):
    """Whether collectives of the group, one of backend tutti, go on beside the computing. It needs
    TUTTI_PROGRESS=thread and, at all ranks, a core that torch's threads leave free when the group is made."""
    return _C.overlaps(_backend_of(group or dist.group.WORLD))


@contextlib.contextmanager
def _shared_tensors(group):
    if dist.get_backend(group) != "tutti":
        yield
        return
    _C.share_new_tensors(True)
    try:
        yield
    finally:
        _C.share_new_tensors(False)


class _Reducer(dist.Reducer):
    """What DistributedDataParallel reduces gradients with: its buckets are in memory that other ranks can read."""

    def __init__(self, params, bucket_indices, per_bucket_size_limits, process_group, *rest, **options):
        with _shared_tensors(process_group):
            super().__init__(params, bucket_indices, per_bucket_size_limits, process_group, *rest, **options)
        self._group = process_group

    def _rebuild_buckets(self):
        with _shared_tensors(self._group):
            return super()._rebuild_buckets()


dist.Reducer = _Reducer
_is_torch_1 = int(torch.__version__.split(".")[0]) < 2
if _is_torch_1:  # torch 2's compiler knows dist.all_reduce by its identity
    dist.all_reduce = _C.short_all_reduce(dist.all_reduce, dist.group, dist.ReduceOp)
_handlers["env"] = _rendezvous_by_environment
_devices = {} if _is_torch_1 else {"devices": ["cpu"]}
dist.Backend.register_backend("tutti", _make_group, extended_api=True, **_devices)
# Before Python's own objects end. Ranks that wait for this one get an error.
atexit.register(_C.leave)
