// Recursive doubling exscan: a scan in which every rank also combines what it receives without its operand.
//
// Source: Hillis and Steele, "Data parallel algorithms", 1986; see scan_recursive_doubling.cpp.
// Cost: ceil(log2 size) steps in a chain of floor(log2 size); in step k size - 2^k messages of n bytes; twice
// the reductions of a scan, and memory for 2 n bytes.
//
// Size 5, operands a b c d e; the passed partial result, and the result:
//   step   0      1        2         3           4
//   0      a, -   ab, a    bc, b     cd, c       de, d
//   1      a, -   ab, a    abc, ab   abcd, abc   bcde, bcd
//   2      a, -   ab, a    abc, ab   abcd, abc   abcde, abcd
//
// Restrictions: none; operators need not commute.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

Task exscan_recursive_doubling(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    const int size = group.size();
    const int rank = group.rank();
    const Scratch memory = Group::scratch(out.size_bytes());
    const Buffer passed_on{memory.data(), out.count, out.element_bytes};
    Group::copy(passed_on.bytes(), {in, out.size_bytes()});

    Scratch arriving;
    for (int distance = 1; distance < size; distance *= 2) {
        const int below = rank - distance;
        Operation sent;
        if (distance < size - rank)
            sent = group.send(rank + distance, passed_on.bytes());
        if (below < 0) {
            co_await sent;
            continue;
        }
        // The first message is the result so far.
        if (distance > 1 && arriving.data() == nullptr)
            arriving = Group::scratch(out.size_bytes());
        std::byte* const arrived = distance == 1 ? out.data : arriving.data();
        Operation received = group.recv(below, {arrived, out.size_bytes()});
        co_await when_all(std::move(received), std::move(sent));
        if (distance > 1)
            Group::reduce(out.data, arrived, out.data, out.count, op);
        if (2 * distance < size - rank)
            Group::reduce(passed_on.data, arrived, passed_on.data, out.count, op);
    }
}

}  // namespace tutti::collectives
