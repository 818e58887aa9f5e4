// Pipelined chain reduce: the ranks form a chain that ends at the root. Partial results move along it in
// segments, and each rank combines its operand with them. After the first segment has passed, all ranks
// receive, combine and send at once.
//
// Source: textbook; Pjesivac-Grbovic and others, "Performance analysis of MPI collective operations", 2007,
// section 3 ("pipeline").
// Cost: segments + size - 2 steps, of n / segments bytes each, in a chain of size - 1; segments (size - 1)
// messages, (size - 1) n bytes in all. Every rank sends and receives n bytes at most: for long data and few
// ranks.
//
// Size 4, root 2, operands a b c d, segments 1 2:
//   step   3        0        1        2
//   1      d1 -> 0                    c1, c2
//   2      d2 -> 0  da1 -> 1
//   3               da2 -> 1 dab1 -> 2
//   4                        dab2 -> 2
//   has                               dabc1, dabc2
//
// If the operator does not commute, two chains, 0 1 ... and size - 1, size - 2 ..., meet at the root, which
// combines the first on its left and the second on its right. An inner root then receives 2 n bytes, and the
// steps are at most 2 segments + size - 2.
//
// Restrictions: none; operators need not commute. segment_bytes >= 1, and a segment has at least one element;
// no data is one empty segment.
#include <algorithm>
#include <array>

#include "collectives/framework/functions.hpp"
#include "collectives/framework/partition.hpp"

namespace tutti::collectives {

namespace {

constexpr int kNobody = -1;

/// One rank's neighbours.
struct Place {
    int below = kNobody;  // sends a partial result for the left side
    int above = kNobody;  // ... for the right side
    int next = kNobody;   // receives this rank's result
};

Place place_of(int rank, int size, int root, bool commutative) noexcept
{
    if (commutative) {
        return {.below = rank == (root + 1) % size ? kNobody : (rank - 1 + size) % size,
                .next = (rank + 1) % size};
    }
    return {.below = rank > 0 && rank <= root ? rank - 1 : kNobody,
            .above = rank < size - 1 && rank >= root ? rank + 1 : kNobody,
            .next = rank < root ? rank + 1 : rank - 1};
}

/// The root's part: combines the segments of one or two chains into `out`, which holds its operand.
Task combine_at_root(Group& group, Place place, ConstBuffer in, Buffer out, patterns::Segments segments,
                     ReduceOp op)
{
    const auto operand = [&](std::size_t index) { return in.bytes(segments[index]).data(); };
    const auto start_below = [&](std::size_t index) {
        return index < segments.count() && place.below != kNobody
                   ? group.recv_reduce(place.below, operand(index), part(out, segments[index]), op,
                                       Side::left)
                   : Operation();
    };
    Operation from_below = start_below(0);
    for (std::size_t index = 0; index < segments.count(); ++index) {
        co_await from_below;
        Operation from_above;
        if (place.above != kNobody) {
            const Buffer partial = part(out, segments[index]);
            from_above =
                group.recv_reduce(place.above, place.below == kNobody ? operand(index) : partial.data,
                                  partial, op, Side::right);
        }
        from_below = start_below(index + 1);
        co_await from_above;
    }
}

/// Another rank's part: receives each segment in one of two places while it sends from the other one.
Task pass_on(Group& group, Place place, ConstBuffer in, patterns::Segments segments, ReduceOp op)
{
    const bool from_below = place.below != kNobody;
    const std::size_t longest_bytes = segments[0].count * in.element_bytes;
    const std::array<Scratch, 2> memory{Group::scratch(longest_bytes), Group::scratch(longest_bytes)};
    const auto partial = [&](std::size_t index) {
        return Buffer{memory[index % 2].data(), segments[index].count, in.element_bytes};
    };
    const auto start = [&](std::size_t index) {
        return group.recv_reduce(from_below ? place.below : place.above, in.bytes(segments[index]).data(),
                                 partial(index), op, from_below ? Side::left : Side::right);
    };
    Operation arriving = start(0);
    Operation sent;
    for (std::size_t index = 0; index < segments.count(); ++index) {
        co_await sent;
        Operation arrived = std::move(arriving);
        if (index + 1 < segments.count())
            arriving = start(index + 1);
        co_await arrived;
        sent = group.send(place.next, partial(index).bytes());
    }
    co_await sent;
}

}  // namespace

Task reduce_chain(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op,
                  std::size_t segment_bytes)
{
    const std::size_t segment_count = std::max<std::size_t>(1, segment_bytes / out.element_bytes);
    const patterns::Segments segments(out.count, segment_count);
    const Place place = place_of(group.rank(), group.size(), root, op.commutative());

    const ConstBuffer operand{in, out.element_bytes};
    if (group.size() == 1) {
        Group::copy(out.bytes(), {in, out.size_bytes()});
        co_return;
    }
    if (group.rank() == root) {
        Task combined = combine_at_root(group, place, operand, out, segments, op);
        co_await combined;
        co_return;
    }
    if (place.below == kNobody && place.above == kNobody) {
        OperationList sends;
        for (std::size_t index = 0; index < segments.count(); ++index)
            sends.add(group.send(place.next, operand.bytes(segments[index])));
        co_await when_all(std::move(sends));
        co_return;
    }
    Task passed = pass_on(group, place, operand, segments, op);
    co_await passed;
}

}  // namespace tutti::collectives
