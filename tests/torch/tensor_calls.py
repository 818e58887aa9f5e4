"""Calls of all functions of torch.distributed, with what their tensors are to hold afterwards, for tensor_kinds.py.

Each makes its tensors by a Case, and returns a function of `group` and `async_op` that calls.
"""
import torch
import torch.distributed as dist

Op = dist.ReduceOp


def held(rank, case, count=1):
    """What a rank holds: `count` blocks. Each sum and average is exact in all types."""
    return ((torch.arange(case.count * count) * 2 + rank) % 5 * 12).to(case.dtype)


def flat(tensor):
    return tensor.detach().reshape(-1)


class Case:
    """Tensors of one kind with what they are to hold after a call."""

    def __init__(self, kind):
        self.make, self.row, self.count, self.dtype = kind.make, kind.row, kind.count, kind.dtype
        self.rank, self.size = dist.get_rank(), dist.get_world_size()
        self.left, self.right = (self.rank - 1) % self.size, (self.rank + 1) % self.size
        self.wanted = []

    def tensor(self, values, then=None):
        """A tensor of these values; `then`: those after the call, if they are others."""
        tensor = self.make(values.clone())
        self.wanted.append((tensor, values if then is None else then))
        return tensor

    def result(self, then):
        """A tensor that the call fills."""
        return self.tensor(torch.zeros_like(then), then)

    def mine(self):
        return held(self.rank, self)

    def each(self):
        return [held(peer, self) for peer in range(self.size)]

    def blocks_of(self, peer):
        """A block of a rank's for each rank."""
        return [held(2 * peer + other, self) for other in range(self.size)]

    def exchanged(self):
        """The blocks of all ranks for this one."""
        return [self.blocks_of(peer)[self.rank] for peer in range(self.size)]

    def place(self, where):
        """Where a block begins in a tensor of all: the rank's own, the next rank's, or a part of the first two."""
        begin = {"own": self.rank, "next": self.right, "between": 0}[where] * self.count
        return (begin + self.count // 2) // self.row * self.row if where == "between" else begin

    def view(self, whole, begin):
        """The block that begins there."""
        return whole[begin // self.row:(begin + self.count) // self.row]

    def check(self):
        for tensor, values in self.wanted:
            assert torch.equal(flat(tensor), values), f"{flat(tensor)} in place of {values}"


def total(values, op=Op.SUM):
    whole = torch.stack(values).sum(0)
    return (whole if op == Op.SUM else whole / len(values)).to(values[0].dtype)


def broadcast(case):
    root = case.size - 1
    data = case.tensor(case.mine(), held(root, case))
    return lambda **how: dist.broadcast(data, root, **how)


def all_reduce(op):
    def call(case):
        data = case.tensor(case.mine(), total(case.each(), op))
        return lambda **how: dist.all_reduce(data, op, **how)
    return call


def all_reduce_coalesced(op):
    def call(case):
        data = [case.tensor(case.mine(), total(case.each(), op)) for _ in range(2)]
        return lambda **how: dist.all_reduce_coalesced(data, op, **how)
    return call


def reduce(op):
    def call(case):
        data = case.tensor(case.mine(), total(case.each(), op) if case.rank == 0 else None)
        return lambda **how: dist.reduce(data, 0, op, **how)
    return call


def all_gather(case):
    outputs = [case.result(values) for values in case.each()]
    data = case.tensor(case.mine())
    return lambda **how: dist.all_gather(outputs, data, **how)


def all_gather_over_input(at):
    def call(case):
        outputs = [case.tensor(case.mine(), values) for values in case.each()]
        return lambda **how: dist.all_gather(outputs, outputs[at], **how)
    return call


def all_gather_coalesced(case):
    lists = [[case.result(values), case.result(values)] for values in case.each()]
    data = [case.tensor(case.mine()), case.tensor(case.mine())]
    return lambda **how: dist.all_gather_coalesced(lists, data, **how)


def all_gather_into(function):
    def call(case):
        output = case.result(torch.cat(case.each()))
        data = case.tensor(case.mine())
        return lambda **how: function(output, data, **how)
    return call


def all_gather_in_place(function, where, only_at=None):
    """The input is a view of the output, at all ranks or at one."""
    def call(case):
        values = torch.zeros_like(torch.cat(case.each()))
        begin = case.place(where)
        values[begin:begin + case.count] = case.mine()
        output = case.tensor(values, torch.cat(case.each()))
        data = case.view(output, begin) if only_at in (None, case.rank) else case.tensor(case.mine())
        return lambda **how: function(output, data, **how)
    return call


def gather(case):
    outputs = [case.result(values) for values in case.each()] if case.rank == 0 else None
    data = case.tensor(case.mine())
    return lambda **how: dist.gather(data, outputs, 0, **how)


def gather_over_input(case):
    outputs = [case.tensor(case.mine(), values) for values in case.each()] if case.rank == 0 else None
    data = outputs[1] if case.rank == 0 else case.tensor(case.mine())
    return lambda **how: dist.gather(data, outputs, 0, **how)


def scatter(case):
    inputs = [case.tensor(values) for values in case.blocks_of(0)] if case.rank == 0 else None
    data = case.result(case.blocks_of(0)[case.rank])
    return lambda **how: dist.scatter(data, inputs, 0, **how)


def scatter_over_input(case):
    result = case.blocks_of(0)[case.rank]
    if case.rank == 0:
        inputs = [case.tensor(values, result if at == 1 else None) for at, values in enumerate(case.blocks_of(0))]
        return lambda **how: dist.scatter(inputs[1], inputs, 0, **how)
    data = case.result(result)
    return lambda **how: dist.scatter(data, None, 0, **how)


def reduce_scatter(op, over_input=False):
    def call(case):
        result = total(case.exchanged(), op)
        inputs = [case.tensor(values, result if over_input and at == 1 else None)
                  for at, values in enumerate(case.blocks_of(case.rank))]
        output = inputs[1] if over_input else case.result(result)
        return lambda **how: dist.reduce_scatter(output, inputs, op, **how)
    return call


def reduce_scatter_from(function, op=Op.SUM):
    def call(case):
        output = case.result(total(case.exchanged(), op))
        data = case.tensor(torch.cat(case.blocks_of(case.rank)))
        return lambda **how: function(output, data, op, **how)
    return call


def reduce_scatter_in_place(function, where, op=Op.SUM):
    """The output is a view of the input, whose other blocks stay as they are."""
    def call(case):
        values = torch.cat(case.blocks_of(case.rank))
        begin = case.place(where)
        then = values.clone()
        then[begin:begin + case.count] = total(case.exchanged(), op)
        data = case.tensor(values, then)
        output = case.view(data, begin)
        return lambda **how: function(output, data, op, **how)
    return call


def all_to_all(over_input=False):
    def call(case):
        outputs = [case.tensor(sent if over_input else torch.zeros_like(sent), got)
                   for sent, got in zip(case.blocks_of(case.rank), case.exchanged())]
        inputs = outputs if over_input else [case.tensor(values) for values in case.blocks_of(case.rank)]
        return lambda **how: dist.all_to_all(outputs, inputs, **how)
    return call


def all_to_all_single(over_input=False):
    def call(case):
        sent, got = torch.cat(case.blocks_of(case.rank)), torch.cat(case.exchanged())
        output = case.tensor(sent if over_input else torch.zeros_like(sent), got)
        data = output if over_input else case.tensor(sent)
        return lambda **how: dist.all_to_all_single(output, data, **how)
    return call


def messages(case):
    got = case.result(held(case.left, case))
    data = case.tensor(case.mine())

    def call(group=None, async_op=False):
        if async_op:
            received = dist.irecv(got, case.left, group=group)
            dist.isend(data, case.right, group=group).wait()
            received.wait()
        elif case.rank == 0:
            dist.send(data, case.right, group=group)
            dist.recv(got, case.left, group=group)
        else:
            dist.recv(got, case.left, group=group)
            dist.send(data, case.right, group=group)
    return call


def message_from_any(case):
    """All ranks send the same to rank 0."""
    got = case.result(held(1, case)) if case.rank == 0 else None
    data = case.tensor(held(1, case))

    def call(group=None, async_op=False):
        if case.rank != 0:
            return dist.send(data, 0, group=group)
        assert {dist.recv(got, group=group) for _ in range(case.size - 1)} == set(range(1, case.size))
    return call


def batch(case):
    got = case.result(held(case.left, case))
    data = case.tensor(case.mine())

    def call(group=None, async_op=False):
        operations = [dist.P2POp(dist.isend, data, case.right, group), dist.P2POp(dist.irecv, got, case.left, group)]
        for work in dist.batch_isend_irecv(operations):
            work.wait()
    return call


def multigpu(function, then):
    """The forms for ranks with several devices, with the one tensor that there is."""
    def call(case):
        data = case.tensor(case.mine(), then(case))
        return lambda **how: function([data], **how)
    return call


def all_gather_multigpu(case):
    outputs = [case.result(values) for values in case.each()]
    data = case.tensor(case.mine())
    return lambda **how: dist.all_gather_multigpu([outputs], [data], **how)


def reduce_scatter_multigpu(case):
    output = case.result(total(case.exchanged()))
    inputs = [case.tensor(values) for values in case.blocks_of(case.rank)]
    return lambda **how: dist.reduce_scatter_multigpu([output], [inputs], **how)


into, into_base = dist.all_gather_into_tensor, dist._all_gather_base
scattered, scattered_base = dist.reduce_scatter_tensor, dist._reduce_scatter_base
CALLS = {
    "broadcast": broadcast,
    "all_reduce": all_reduce(Op.SUM),
    "all_reduce AVG": all_reduce(Op.AVG),
    "all_reduce_coalesced": all_reduce_coalesced(Op.SUM),
    "all_reduce_coalesced AVG": all_reduce_coalesced(Op.AVG),
    "reduce": reduce(Op.SUM),
    "reduce AVG": reduce(Op.AVG),
    "all_gather": all_gather,
    "all_gather over the first input": all_gather_over_input(0),
    "all_gather over the second input": all_gather_over_input(1),
    "all_gather_coalesced": all_gather_coalesced,
    "all_gather_into_tensor": all_gather_into(into),
    "_all_gather_base": all_gather_into(into_base),
    "all_gather_into_tensor in place": all_gather_in_place(into, "own"),
    "all_gather_into_tensor in place at rank 0": all_gather_in_place(into, "own", only_at=0),
    "all_gather_into_tensor over the next block": all_gather_in_place(into, "next"),
    "all_gather_into_tensor over two blocks": all_gather_in_place(into, "between"),
    "_all_gather_base in place": all_gather_in_place(into_base, "own"),
    "gather": gather,
    "gather over input": gather_over_input,
    "scatter": scatter,
    "scatter over input": scatter_over_input,
    "reduce_scatter": reduce_scatter(Op.SUM),
    "reduce_scatter AVG": reduce_scatter(Op.AVG),
    "reduce_scatter over input": reduce_scatter(Op.SUM, over_input=True),
    "reduce_scatter_tensor": reduce_scatter_from(scattered),
    "reduce_scatter_tensor AVG": reduce_scatter_from(scattered, Op.AVG),
    "_reduce_scatter_base": reduce_scatter_from(scattered_base),
    "reduce_scatter_tensor in place": reduce_scatter_in_place(scattered, "own"),
    "reduce_scatter_tensor in place AVG": reduce_scatter_in_place(scattered, "own", Op.AVG),
    "reduce_scatter_tensor over the next block": reduce_scatter_in_place(scattered, "next"),
    "reduce_scatter_tensor over two blocks": reduce_scatter_in_place(scattered, "between"),
    "_reduce_scatter_base in place": reduce_scatter_in_place(scattered_base, "own"),
    "all_to_all": all_to_all(),
    "all_to_all in place": all_to_all(over_input=True),
    "all_to_all_single": all_to_all_single(),
    "all_to_all_single in place": all_to_all_single(over_input=True),
    "messages": messages,
    "message from any": message_from_any,
    "batch": batch,
    "all_reduce_multigpu": multigpu(dist.all_reduce_multigpu, lambda case: total(case.each())),
    "broadcast_multigpu": multigpu(lambda data, **how: dist.broadcast_multigpu(data, 0, **how),
                                   lambda case: held(0, case)),
    "reduce_multigpu": multigpu(lambda data, **how: dist.reduce_multigpu(data, 0, **how),
                                lambda case: total(case.each()) if case.rank == 0 else None),
    "all_gather_multigpu": all_gather_multigpu,
    "reduce_scatter_multigpu": reduce_scatter_multigpu,
}
