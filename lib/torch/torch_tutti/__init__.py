"""Tutti as a backend of torch.distributed.

    import torch_tutti
    torch.distributed.init_process_group("tutti")

Under tuttirun nothing else is needed; otherwise ranks find each other as torch.distributed has it.
"""
import atexit
import contextlib
import datetime
import functools
import importlib
import os
import secrets
import socket
import urllib.parse

import torch
import torch.distributed as dist

from torch_tutti import _C

__all__ = ["monitored_barrier", "overlaps", "set_group_name"]


# How long a rank tries one address of rank 0; Tutti's own connections take as long.
_PATIENCE = datetime.timedelta(seconds=10)
_WORD = "tutti.word"


def _make_group(options, _):
    return _C.make_group(options.store, options.group_rank, options.group_size, options.timeout, options.group_id,
                         list(options.global_ranks_in_group))


def _store_at(addresses, port, word, size, timeout):
    """The store of rank 0. Other hosts may have the same addresses, so it has to know the word."""
    failures = []
    for address in addresses:
        try:
            socket.create_connection((address, port), _PATIENCE.total_seconds()).close()
            store = dist.TCPStore(address, port, size, False, _PATIENCE, wait_for_workers=False)
            if store.get(_WORD).decode() == word:
                store.set_timeout(timeout)
                return store
            failures.append(f"{address}: another program listens")
        except (OSError, RuntimeError) as error:
            failures.append(f"{address}: {error}")
    raise ConnectionError(f"the store at port {port} of rank 0 cannot be reached ({'; '.join(failures) or 'no address'}); "
                          "name the network between the hosts by tuttirun --interface, or set MASTER_ADDR and "
                          "MASTER_PORT and start by tuttirun --rank-env")


def _rendezvous_of_launcher(url, timeout=datetime.timedelta(minutes=30), **_options):
    """The ranks of tuttirun or another PMIx launcher, and a store at rank 0 whose port the system chooses. Hosts need no
    names: rank 0 tells the addresses that Tutti uses."""
    rank, size = _C.launched_rank_and_size()
    given = _given(url)
    if given.get("rank", rank) != rank or given.get("world_size", size) != size:
        raise ValueError(f"init_process_group: this process is rank {rank} of {size} to its launcher, and {given} are "
                         "given; leave them out, or read RANK and WORLD_SIZE, which tuttirun --rank-env sets")
    beside = _C.is_beside_rank_0()
    if rank == 0:
        store = dist.TCPStore("127.0.0.1", 0, size, True, timeout, wait_for_workers=False)
        word = secrets.token_hex()
        store.set(_WORD, word)
        _C.broadcast_line(" ".join([str(store.port), word, *_C.addresses_of_host()]))
    else:
        port, word, *addresses = _C.broadcast_line("").split()
        store = _store_at((["127.0.0.1"] if beside else []) + addresses, int(port), word, size, timeout)
    yield store, rank, size


def _given(url):
    """rank and world_size as init_process_group got them."""
    return {name: int(value) for name, value in urllib.parse.parse_qsl(urllib.parse.urlparse(url).query)
            if name in ("rank", "world_size")}


# The package torch.distributed also has a function of this module's name.
_handlers = importlib.import_module("torch.distributed.rendezvous")._rendezvous_handlers
_rendezvous_by_variables = _handlers["env"]


def _rendezvous_by_environment(url, **options):
    """env:// as torch has it where all that it needs is given; a launcher of Tutti's ranks does without it."""
    given = _given(url)
    has_all = os.environ.get("MASTER_ADDR") and all(
        name in given or os.environ.get(name.upper()) for name in ("rank", "world_size"))
    if has_all or not _C.is_launched():
        return _rendezvous_by_variables(url, **options)
    return _rendezvous_of_launcher(url, **options)


_c10d = importlib.import_module("torch.distributed.distributed_c10d")
_make_any_group = _c10d._new_process_group_helper


@functools.wraps(_make_any_group)
def _make_any_group_of_the_job(size, rank, members, backend, store, *rest, **named):
    """All ranks call this, also those that will be no members. A process joins one job in its life: so all join before
    the first group of backend tutti, which may have a part of them."""
    if members and "tutti" in str(backend).lower():
        default = _c10d._get_default_group()
        _C.join_all(dist.PrefixStore("tutti", store), default.rank(), default.size())
    made = _make_any_group(size, rank, members, backend, store, *rest, **named)
    group = made[0] if isinstance(made, tuple) else made  # torch 2 has a store beside it
    if isinstance(group, dist.ProcessGroup):
        _name_as_torch(group, members, named.get("group_desc"))
    return made


_torchs_name = getattr(_c10d, "_get_process_group_name", None) or _c10d._pg_names.get


def _name_as_torch(group, members, description):
    """By its description, which torch 2 has, or the name that torch counts."""
    try:
        name = description if description not in (None, "", "undefined") else f"process group {_torchs_name(group)}"
        set_group_name("default process group" if not members else name, group)
    except RuntimeError:
        pass  # it is of another backend


def set_group_name(name, group=None):
    """What reports (of hangs, --stats, --trace, --top) call the group on this rank, one of backend tutti."""
    _C.set_group_name(_backend_of(group or dist.group.WORLD), name)


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
_c10d._new_process_group_helper = _make_any_group_of_the_job
_devices = {} if _is_torch_1 else {"devices": ["cpu"]}
dist.Backend.register_backend("tutti", _make_group, extended_api=True, **_devices)
# Before Python's own objects end. Ranks that wait for this one get an error.
atexit.register(_C.leave)
