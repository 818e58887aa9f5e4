"""The collectives that are timed. Each function makes the tensors of a call, and returns the call. Sizes are those of a
block where there are blocks: what one rank gives to all, or to each."""
import torch
import torch.distributed as dist


def all_reduce(elements, group):
    data = torch.zeros(elements)
    return lambda: dist.all_reduce(data, group=group)


def broadcast(elements, group):
    data = torch.zeros(elements)
    return lambda: dist.broadcast(data, 0, group=group)


def all_gather(elements, group):
    mine = torch.zeros(elements)
    blocks = [torch.zeros(elements) for _ in range(dist.get_world_size())]
    return lambda: dist.all_gather(blocks, mine, group=group)


def reduce_scatter(elements, group):
    blocks = [torch.zeros(elements) for _ in range(dist.get_world_size())]
    mine = torch.zeros(elements)
    if dist.get_backend(group) != "gloo":
        return lambda: dist.reduce_scatter(mine, blocks, group=group)

    # Gloo has none in torch: this takes its place there.
    def by_all_reduce():
        whole = torch.cat(blocks)
        dist.all_reduce(whole, group=group)
        mine.copy_(whole[dist.get_rank() * elements:][:elements])

    return by_all_reduce


def all_to_all(elements, group):
    given = torch.zeros(elements * dist.get_world_size())
    taken = torch.zeros_like(given)
    return lambda: dist.all_to_all_single(taken, given, group=group)


ALL = {call.__name__: call for call in (all_reduce, broadcast, all_gather, reduce_scatter, all_to_all)}


def copy(elements):
    """What bounds the collectives of long data: a copy by torch, of all ranks at once."""
    source, target = torch.zeros(elements), torch.zeros(elements)
    return lambda: target.copy_(source)


def own_costs(group):
    """all_reduce of 8 bytes, to see what torch and the backend cost by themselves: by the function that programs call,
    by torch's own, for which backend tutti has a shorter way, and by the group alone."""
    data = torch.zeros(2)
    return {"dist.all_reduce": lambda: dist.all_reduce(data, group=group),
            "torch's own": lambda: dist.distributed_c10d.all_reduce(data, group=group),
            "group.allreduce": lambda: group.allreduce([data]).wait()}
