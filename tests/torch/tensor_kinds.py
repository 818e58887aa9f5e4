"""Every function of torch.distributed with every kind of tensor, in every mode of autograd, beside Gloo; as ranks.

Each case is a call whose result is known. It must have that result over backend tutti, or, where it is refused, raise
the same error at all ranks before anything is sent: the collective that follows each case shows that ranks are in step.
Gloo makes the same call with tensors of the kinds that it knows, and where it succeeds it must have the same result.
"""
import collections
import contextlib
import itertools
import sys
import zlib

import torch
import torch.distributed as dist

import torch_tutti  # noqa: F401

if int(torch.__version__.split(".")[0]) >= 2:
    sys.exit(77)  # these functions are torch 1's

from tensor_calls import CALLS, Case  # noqa: E402

# `make` makes a tensor of these values in their order. `row`: elements for each index of the first dimension. `gloo`:
# whether Gloo knows such tensors; it takes all for contiguous ones.
Kind = collections.namedtuple("Kind", "make row dtype count gloo", defaults=(1, torch.float32, 6, False))


def leaf(make):
    return lambda values: make(values).detach().requires_grad_()


def inference(make):
    def made(values):
        with torch.inference_mode():
            return make(values.clone())
    return made


def plain(values):
    return values


def transposed(values):
    return values.reshape(-1, 3).t().contiguous().t()


def column(values):
    wide = torch.full((len(values), 3), -1., dtype=values.dtype)
    wide[:, 1] = values
    return wide[:, 1]


def channels_last(values):
    return values.reshape(-1, 3, 2, 1).contiguous(memory_format=torch.channels_last)


def no_dimension(values):
    return values.reshape(()) if len(values) == 1 else values


KINDS = {
    "plain": Kind(plain, gloo=True),
    "leaf": Kind(leaf(plain), gloo=True),
    "view of a leaf": Kind(lambda values: leaf(plain)(torch.cat([values, values]))[:len(values)], gloo=True),
    "part of a graph": Kind(lambda values: leaf(plain)(values) * 1, gloo=True),
    "inference": Kind(inference(plain), gloo=True),
    "transposed": Kind(transposed, 3),
    "transposed leaf": Kind(leaf(transposed), 3),
    "transposed view of a leaf": Kind(lambda values: leaf(plain)(values.reshape(-1, 3).t().contiguous()).t(), 3),
    "transposed inference": Kind(inference(transposed), 3),
    "channels_last": Kind(channels_last, 6),
    "channels_last leaf": Kind(leaf(channels_last), 6),
    "channels_last inference": Kind(inference(channels_last), 6),
    "column": Kind(column),
    "column leaf": Kind(leaf(column)),
    "complex": Kind(plain, dtype=torch.complex64),
    "complex leaf": Kind(leaf(plain), dtype=torch.complex64),
    "whole numbers": Kind(transposed, 3, dtype=torch.int32),
    "half": Kind(leaf(transposed), 3, dtype=torch.float16),
    "no dimension": Kind(no_dimension, count=1),
    "leaf of no dimension": Kind(leaf(no_dimension), count=1),
    "empty": Kind(plain, count=0),
    "empty leaf": Kind(leaf(plain), count=0),
    "empty transposed": Kind(leaf(transposed), 3, count=0),
    "expanded": Kind(lambda values: values[:1].expand(len(values))),
    "sparse": Kind(lambda values: values.to_sparse()),
}
GLOO_WRITES_INPUTS = {"reduce", "reduce_multigpu"}
GLOO_LACKS = {call for call in CALLS if "AVG" in call or "_base" in call or "reduce_scatter" in call or "_tensor" in call} | {
    "all_to_all"}
RECEIVER_ALONE_KNOWS = {"gather", "gather over input", "messages", "message from any", "batch"}
WRONG = "wrong: "
MODES = {"grad": contextlib.nullcontext, "no_grad": torch.no_grad, "inference_mode": torch.inference_mode}


def why_refused(kind):
    """Words of the error that tensors of the kind have to have, if any."""
    return {"sparse": "dense", "expanded": "contiguous()"}.get(kind)


def can_be(kind, call):
    if kind == "expanded":
        return call not in RECEIVER_ALONE_KNOWS  # elements that share memory cannot be results, but may be sent
    return kind != "sparse" or not is_in_place(call)  # these have no views


def is_in_place(call):
    return "in place" in call or "over" in call


def outcome(kind, call, mode, **how):
    """The error of the call, without the operation's name, if there is one. Tensors must hold what they are to hold."""
    try:
        case = Case(kind)
        made = CALLS[call](case)
        with MODES[mode]():
            work = made(**how)
            if work is not None:
                work.wait()
        if not ("group" in how and call in GLOO_WRITES_INPUTS and rank != 0):
            case.check()
    except RuntimeError as error:
        return str(error).split("\n")[0].split(": ", 1)[-1]
    except AssertionError as error:
        return WRONG + str(error)
    return ""


def run(number, name, call, mode, async_op):
    kind, wanted = KINDS[name], why_refused(name)
    mine = outcome(kind, call, mode, async_op=async_op)
    seen = [torch.zeros(2, dtype=torch.int64) for _ in range(size)]
    dist.all_gather(seen, torch.tensor([number, zlib.crc32(mine.encode())]))
    alike = all(torch.equal(other, seen[0]) for other in seen)
    assert alike and not mine.startswith(WRONG), f"ranks differ; here: {mine or 'no error'}"
    assert wanted in mine if wanted else not mine, mine or "no error"
    if kind.gloo and mode == "grad" and not is_in_place(call):
        others = outcome(kind, call, mode, async_op=async_op, group=gloo)
        assert not others or call in GLOO_LACKS or "place" in others, f"Gloo: {others}"  # it copies through autograd


dist.init_process_group("tutti")
gloo = dist.new_group(backend="gloo")
rank, size = dist.get_rank(), dist.get_world_size()
cases = [case for case in itertools.product(KINDS, CALLS, MODES, (False, True)) if can_be(*case[:2])]
failures = 0
for number, case in enumerate(cases):
    try:
        run(number, *case)
    except (AssertionError, RuntimeError) as error:
        failures += 1
        print(f"rank {rank}: {case}: {error}", flush=True)
        if failures == 5:
            break  # ranks may be out of step
if rank == 0 and failures == 0:
    print(f"{len(cases)} cases are right")
sys.exit(failures != 0)
