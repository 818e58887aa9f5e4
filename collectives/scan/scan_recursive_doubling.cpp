// Recursive doubling scan: in step k every rank sends its partial result to the rank 2^k above it and
// combines that of the rank 2^k below with its own; after step k it has the operands of the 2^(k+1) - 1 ranks
// below it and its own.
//
// Source: Hillis and Steele, "Data parallel algorithms", 1986.
// Cost: ceil(log2 size) steps in a chain of floor(log2 size); in step k size - 2^k messages of n bytes.
//
// Size 5, operands a b c d e:
//   step   0    1    2     3      4
//   0      a    ab   bc    cd     de
//   1      a    ab   abc   abcd   bcde
//   2      a    ab   abc   abcd   abcde
//
// Restrictions: none; operators need not commute.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

Task scan_recursive_doubling(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    const int size = group.size();
    const int rank = group.rank();
    Group::copy(out.bytes(), {in, out.size_bytes()});

    Scratch arriving;
    for (int distance = 1; distance < size; distance *= 2) {
        const int below = rank - distance;
        Operation sent;
        if (distance < size - rank)
            sent = group.send(rank + distance, out.bytes());
        if (below < 0) {
            co_await sent;
            continue;
        }
        if (sent.done()) {
            // Short data has always left already, so its memory may receive the result at once.
            sent.finish();
            Operation combined = group.recv_reduce(below, out, op, Side::left);
            co_await combined;
            continue;
        }
        if (arriving.data() == nullptr)
            arriving = Group::scratch(out.size_bytes());
        Operation received = group.recv(below, arriving.bytes());
        co_await when_all(std::move(received), std::move(sent));
        Group::reduce(out.data, arriving.data(), out.data, out.count, op);
    }
}

}  // namespace tutti::collectives
