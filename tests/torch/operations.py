"""Every operation of torch.distributed over backend tutti, with results that are known; run as the ranks of a job."""
import datetime
import os
import threading

import torch
import torch.distributed as dist

import torch_tutti

REALS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
COMPLEX = (torch.complex64, torch.complex128)
Op = dist.ReduceOp
close = torch.testing.assert_close  # averages of fractions are sums of parts that are divided, and rounded, before


def same(got, wanted):
    assert got.dtype == wanted.dtype and torch.equal(got, wanted), f"{got} in place of {wanted}"


def values(rank, dtype, count=5):
    """Small numbers, whose sums and products every type holds."""
    return ((torch.arange(count) + rank) % 3 + 1).to(dtype)


def expect(op, dtype, count=5):
    all_values = torch.stack([values(r, torch.float64, count) for r in range(size)])
    whole = all_values.to(torch.int64)
    result = {
        Op.SUM: lambda: all_values.sum(0), Op.PRODUCT: lambda: all_values.prod(0),
        Op.MIN: lambda: all_values.min(0).values, Op.MAX: lambda: all_values.max(0).values,
        Op.AVG: lambda: all_values.sum(0).to(dtype) / size if dtype.is_floating_point or dtype.is_complex
        else whole.sum(0) // size,
        Op.BAND: lambda: bitwise(torch.bitwise_and, whole), Op.BOR: lambda: bitwise(torch.bitwise_or, whole),
        Op.BXOR: lambda: bitwise(torch.bitwise_xor, whole),
    }[op]()
    return result.to(dtype)


def bitwise(function, rows):
    result = rows[0]
    for row in rows[1:]:
        result = function(result, row)
    return result


def reductions():
    for dtypes, ops in (((*REALS, *INTEGERS), (Op.SUM, Op.PRODUCT, Op.MIN, Op.MAX, Op.AVG)),
                        (COMPLEX, (Op.SUM,)), (INTEGERS, (Op.BAND, Op.BOR, Op.BXOR))):
        for dtype in dtypes:
            for op in ops:
                data = values(rank, dtype)
                dist.all_reduce(data, op)
                (close if op == Op.AVG else same)(data, expect(op, dtype))
    for op, wanted in ((Op.BAND, size == 1), (Op.BOR, True), (Op.MIN, size == 1), (Op.MAX, True)):
        flag = torch.tensor([rank == 0])
        dist.all_reduce(flag, op)
        same(flag, torch.tensor([wanted]))
    for count in (0, 1, 1023, 70001):
        data = values(rank, torch.float32, count)
        dist.all_reduce(data)
        same(data, expect(Op.SUM, torch.float32, count))
    for root in range(size):
        data = values(rank, torch.int32)
        dist.reduce(data, root, Op.MAX)
        same(data, expect(Op.MAX, torch.int32) if rank == root else values(rank, torch.int32))
    refused(lambda: dist.all_reduce(torch.ones(2), Op.BAND), "not defined")
    refused(lambda: dist.all_reduce(torch.ones(2).to_sparse()), "dense")


def refused(call, words, kind=RuntimeError):
    try:
        call()
    except kind as error:
        assert words in str(error), error
        return
    raise AssertionError(f"no error with '{words}'")


def parameters():
    """All forms of an all_reduce's call, those that a shorter way takes and those that it leaves."""
    group = dist.new_group()
    for call in (lambda data: dist.all_reduce(data), lambda data: dist.all_reduce(tensor=data),
                 lambda data: dist.all_reduce(data, Op.SUM, None, False),
                 lambda data: dist.all_reduce(data, group=group),
                 lambda data: dist.all_reduce(data, op=Op.SUM, async_op=False, group=dist.group.WORLD),
                 lambda data: dist.all_reduce(data, **{"".join(["gro", "up"]): group}),
                 lambda data: dist.all_reduce(data, async_op=True).wait(),
                 lambda data: dist.distributed_c10d.all_reduce(data)):
        data = values(rank, torch.float32)
        assert call(data) in (None, True)
        same(data, expect(Op.SUM, torch.float32))
    # What torch's own function needs is away for a moment.
    own = dist.distributed_c10d
    kept, own.AllreduceOptions = own.AllreduceOptions, None
    try:
        data = values(rank, torch.float32)
        if torch_tutti.overlaps() or int(torch.__version__.split(".")[0]) >= 2:
            refused(lambda: dist.all_reduce(data), "callable", TypeError)
        else:
            dist.all_reduce(data, group=group)
            same(data, expect(Op.SUM, torch.float32))
            refused(lambda: dist.all_reduce(data, async_op=True), "callable", TypeError)
            with torch.profiler.profile():
                refused(lambda: dist.all_reduce(data), "callable", TypeError)
    finally:
        own.AllreduceOptions = kept
    parameter = torch.nn.Parameter(values(rank, torch.float32))
    dist.all_reduce(parameter)
    assert parameter.requires_grad and torch.equal(parameter, expect(Op.SUM, torch.float32))
    imaginary = torch.full((3,), 1j * rank)
    dist.all_reduce(imaginary)
    same(imaginary, torch.full((3,), 1j * size * (size - 1) / 2))
    for call in (dist.all_reduce, lambda: dist.all_reduce(torch.ones(1), tensor=torch.ones(1)),
                 lambda: dist.all_reduce(torch.ones(1), who=1)):
        refused(call, "all_reduce()", TypeError)
    refused(lambda: dist.all_reduce("text"), "torch.Tensor")
    dist.destroy_process_group(group)


def strides():
    wide = torch.zeros(4, 6)
    column = wide[:, 2]
    column.fill_(rank + 1)
    dist.all_reduce(column)
    same(wide[:, 2], torch.full((4,), size * (size + 1) / 2))
    same(wide[:, 3], torch.zeros(4))
    matrix = torch.arange(6.).reshape(2, 3).t() * (rank == 1)
    dist.broadcast(matrix, 1 % size)
    same(matrix, torch.arange(6.).reshape(2, 3).t() * (size > 1))
    outputs = [torch.zeros(3, 2).t() for _ in range(size)]
    dist.all_gather(outputs, torch.full((3, 2), float(rank)).t())
    for peer, output in enumerate(outputs):
        same(output, torch.full((2, 3), float(peer)))


def lists():
    """all_gather into tensors that lie anywhere: in any order, inside another tensor, over the input, large ones."""
    for count in (1, 7, 300_000):
        mine = torch.full((count,), rank + 1.)
        wide = torch.zeros(2 * size, count)
        backwards = [wide[2 * peer] for peer in reversed(range(size))]
        dist.all_gather(backwards, mine)
        for peer, output in enumerate(backwards):
            same(output, torch.full((count,), peer + 1.))
        same(wide[1::2], torch.zeros(size, count))  # what lies between is untouched
        wide[1] = rank + 2.
        dist.all_gather(backwards, wide[1])
        for peer, output in enumerate(backwards):
            same(output, torch.full((count,), peer + 2.))
        same(wide[1], torch.full((count,), rank + 2.))
        apart = [torch.zeros(count) if peer != rank else mine for peer in range(size)]
        dist.all_gather(apart, mine)
        for peer, output in enumerate(apart):
            same(output, torch.full((count,), peer + 1.))
        if size > 1:  # one tensor for all: whose block stays is not said
            one = torch.zeros(count)
            dist.all_gather([one] * size, mine)
            assert one[0] in range(1, size + 1) and torch.equal(one, one[0].expand(count))
    dist.all_gather([torch.zeros(0) for _ in range(size)], torch.zeros(0))
    for _ in range(3):  # the second time in memory that the first has left
        for count in (300_000, 5):
            output = torch.zeros(count)
            dist.reduce_scatter(output, [torch.full((count,), rank + 10. * peer) for peer in range(size)])
            same(output, torch.full((count,), size * (size - 1) / 2 + 10. * rank * size))


def blocks():
    for dtype in (*REALS, *INTEGERS, *COMPLEX, torch.bool):
        outputs = [torch.zeros(3, dtype=dtype) for _ in range(size)]
        dist.all_gather(outputs, values(rank, dtype, 3))
        for peer, output in enumerate(outputs):
            same(output, values(peer, dtype, 3))
        data = values(rank, dtype)
        dist.broadcast(data, size - 1)
        same(data, values(size - 1, dtype))
    joint = torch.zeros(2 * size)
    dist._all_gather_base(joint, torch.full((2,), float(rank)))
    same(joint, torch.arange(float(size)).repeat_interleave(2))
    lists = [[torch.zeros(2), torch.zeros(3)] for _ in range(size)]
    dist.all_gather_coalesced(lists, [torch.full((2,), rank + 1.), torch.full((3,), rank + 2.)])
    for peer, (first, second) in enumerate(lists):
        same(first, torch.full((2,), peer + 1.))
        same(second, torch.full((3,), peer + 2.))
    for root in range(size):
        outputs = [torch.zeros(2) for _ in range(size)] if rank == root else None
        dist.gather(torch.full((2,), float(rank)), outputs, root)
        for peer, output in enumerate(outputs or []):
            same(output, torch.full((2,), float(peer)))
        mine = torch.zeros(2)
        dist.scatter(mine, [torch.full((2,), 10. + peer) for peer in range(size)] if rank == root else None, root)
        same(mine, torch.full((2,), 10. + rank))
    output = torch.zeros(5)
    dist.reduce_scatter(output, [values(rank, torch.float32) * (peer + 1) for peer in range(size)])
    same(output, expect(Op.SUM, torch.float32) * (rank + 1))
    output = torch.zeros(5)
    dist._reduce_scatter_base(output, values(rank, torch.float32).repeat(size), Op.AVG)
    close(output, expect(Op.AVG, torch.float32))
    tensors = [values(rank, torch.float64), torch.full((2, 2), float(rank), dtype=torch.float64).t()]
    dist.all_reduce_coalesced(tensors)
    same(tensors[0], expect(Op.SUM, torch.float64))
    same(tensors[1], torch.full((2, 2), size * (size - 1) / 2, dtype=torch.float64))


def all_to_all():
    outputs = [torch.zeros(rank + 1) for _ in range(size)]
    dist.all_to_all(outputs, [torch.full((peer + 1,), 10. * rank + peer) for peer in range(size)])
    for peer, output in enumerate(outputs):
        same(output, torch.full((rank + 1,), 10. * peer + rank))
    output = torch.zeros(size, 2)
    dist.all_to_all_single(output, torch.full((size, 2), float(rank)))
    same(output, torch.arange(float(size)).repeat_interleave(2).reshape(size, 2))
    # Rank r sends r + p rows to rank p.
    sent = [rank + peer for peer in range(size)]
    output = torch.zeros(sum(sent), 2)
    dist.all_to_all_single(output, torch.full((sum(sent), 2), float(rank)), sent, sent)
    same(output, torch.cat([torch.full((count, 2), float(peer)) for peer, count in enumerate(sent)]))
    refused(lambda: dist.all_to_all_single(torch.zeros(size + 1), torch.zeros(size + 1), [1] * size, [1] * size),
            "split")


def messages():
    right, left = (rank + 1) % size, (rank - 1) % size
    got = torch.zeros(70000)
    sent = dist.isend(torch.full((70000,), float(rank)), right, tag=7)
    dist.recv(got, left, tag=7)
    sent.wait()
    same(got, torch.full((70000,), float(left)))
    ops = [dist.P2POp(dist.isend, torch.tensor([rank]), right), dist.P2POp(dist.irecv, torch.zeros(2)[:1].long(), left)]
    for request in dist.batch_isend_irecv(ops):
        request.wait()
    same(ops[1].tensor, torch.tensor([left]))
    if rank == 0:
        sources = {dist.recv(torch.zeros(1)) for _ in range(size - 1)}
        assert sources == set(range(1, size)), sources
    else:
        dist.send(torch.ones(1), 0)


def works():
    data = [torch.full((100,), rank + 1.) for _ in range(4)]
    pending = [dist.all_reduce(one, async_op=True) for one in data]
    for work in reversed(pending):
        assert work.wait()
        assert work.is_completed()
    for one in data:
        same(one, torch.full((100,), size * (size + 1) / 2))
    # Ranks wait in different orders, and for messages between.
    first, second = dist.all_reduce(data[0], async_op=True), dist.broadcast(data[1], 0, async_op=True)
    if rank == 0:
        for peer in range(1, size):
            dist.send(torch.ones(1), peer)
        second.wait()
        first.wait()
    else:
        dist.recv(torch.zeros(1), 0)
        first.wait()
        second.wait()
    while_polled = dist.barrier(async_op=True)
    while not while_polled.is_completed():
        pass
    future = dist.all_reduce(torch.full((3,), float(rank)), async_op=True).get_future()
    doubled = future.then(lambda done: done.value()[0] * 2).wait()
    same(doubled, torch.full((3,), float(size * (size - 1))))
    dist.all_reduce(torch.zeros(1000), async_op=True)  # nobody waits for it
    dist.barrier()


def objects():
    things = [None] * size
    dist.all_gather_object(things, {"rank": rank, "text": "x" * rank})
    assert things == [{"rank": peer, "text": "x" * peer} for peer in range(size)]
    given = [f"from {rank}", rank]
    dist.broadcast_object_list(given, 0)
    assert given == ["from 0", 0]
    mine = [None]
    dist.scatter_object_list(mine, [(peer, "s") for peer in range(size)], 0)
    assert mine == [(rank, "s")]


def groups():
    for _ in range(20):
        for members in ([0], list(range(size)), list(reversed(range(size)))[: size - 1] or [0]):
            members = sorted(members)
            group = dist.new_group(members)
            if rank in members:
                data = torch.ones(3)
                dist.all_reduce(data, group=group)
                same(data, torch.full((3,), float(len(members))))
                dist.destroy_process_group(group)
    # Ranks in several groups at once, which are freed in another order than they were made.
    halves = [dist.new_group(list(range(first, size, 2))) for first in range(2 if size > 1 else 1)]
    pairs = [dist.new_group(sorted({peer, (peer + 1) % size})) for peer in range(size)]
    for kept in (halves, pairs):
        for group in kept:
            if dist.get_rank(group) >= 0:
                data = torch.ones(1)
                dist.all_reduce(data, group=group)
                same(data, torch.full((1,), float(dist.get_world_size(group))))
    for group in reversed(pairs + halves):
        if dist.get_rank(group) >= 0:
            dist.destroy_process_group(group)
    # A thread for each group: all work at the same time.
    all_groups = [dist.new_group() for _ in range(3)]

    def work(number):
        for step in range(50):
            data = torch.full((number * 1000 + 1,), float(step))
            dist.all_reduce(data, group=all_groups[number])
            if not torch.equal(data, torch.full_like(data, float(step * size))):
                failures.append(number)

    failures = []
    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def training():
    torch.manual_seed(rank)
    model = torch.nn.Linear(10, 3)
    parallel = torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=0.0001)
    parallel(torch.full((4, 10), rank + 1.)).sum().backward()
    same(model.weight.grad, torch.full((3, 10), 4. * (size + 1) / 2))
    weights = [torch.zeros(3, 10) for _ in range(size)]
    dist.all_gather(weights, model.weight.detach())
    for weight in weights:
        same(weight, weights[0])


def place_of(tensor):
    """The file that the tensor's memory is mapped from, if there is one."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            begin, end = (int(text, 16) for text in line.split()[0].split("-"))
            if begin <= tensor.data_ptr() < end:
                return line.split(maxsplit=5)[5].strip() if len(line.split()) > 5 else ""
    return ""


def buckets():
    model = torch.nn.Sequential(torch.nn.Linear(300, 300), torch.nn.Linear(300, 10))
    parallel = torch.nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
    for step in range(3):  # the buckets are made anew after the first
        parallel(torch.full((4, 300), rank + step + 1.)).sum().backward()
        same(model[1].bias.grad, torch.full((10,), 4.))
        for parameter in model.parameters():
            assert "tutti-heap" in place_of(parameter.grad), place_of(parameter.grad)
        parallel.zero_grad(set_to_none=False)
    assert "tutti-heap" not in place_of(torch.zeros(1 << 18))
    assert "tutti-heap" not in place_of(model[0].weight)


def profile():
    with torch.profiler.profile() as profiler:
        dist.all_reduce(torch.ones(3))
        dist.broadcast(torch.ones(3), 0)
        if rank != 0:
            dist.send(torch.ones(1), 0)
        for _ in range(size - 1 if rank == 0 else 0):
            dist.recv(torch.ones(1))
    names = {event.name for event in profiler.events()}
    wanted = {"tutti:all_reduce", "tutti:broadcast", "tutti:send" if rank != 0 else "tutti:recvAnySource"}
    assert wanted - names <= ({"tutti:recvAnySource"} if size == 1 else set()), names


def limits():
    group = dist.new_group(timeout=datetime.timedelta(milliseconds=300))
    if size > 1 and rank == 0:
        refused(lambda: dist.all_reduce(torch.ones(3), group=group), "has not ended within the timeout of 300 ms")
    dist.barrier()
    if size > 1 and rank != size - 1:
        words = f"Rank {size - 1} failed to pass monitoredBarrier" if rank == 0 else "another rank"
        refused(lambda: torch_tutti.monitored_barrier(timeout=datetime.timedelta(milliseconds=300)), words)
    elif size > 1:
        dist.barrier()
        refused(torch_tutti.monitored_barrier, "another rank")
    if rank != size - 1:
        dist.barrier()


dist.init_process_group("tutti")
rank, size = dist.get_rank(), dist.get_world_size()
for test in (reductions, parameters, strides, lists, blocks, all_to_all, messages, works, objects, groups, training,
             buckets, profile, limits):
    test()
dist.barrier()
if rank == 0:
    print("all operations are right")
if "TWICE" in os.environ:
    dist.destroy_process_group()
    dist.init_process_group("tutti")
    dist.barrier()
dist.destroy_process_group()
