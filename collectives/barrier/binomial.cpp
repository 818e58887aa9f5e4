// Binomial barrier: reports rise through a binomial tree to rank 0, and the release comes down the same tree.
//
// Source: the combining tree of Yew, Tzeng and Lawrie (1987), with the tree of patterns.hpp.
// Cost: 2 ceil(log2 size) steps in a chain of 2 floor(log2 size); 2 (size - 1) messages, 2 ceil(log2 size) of
// them to or from rank 0; no bytes.
//
// Size 6 (tree 0 -> 1, 2, 4; 2 -> 3; 4 -> 5):
//   step   0         1         2         3         4         5
//   1      waits     -> 0      waits     -> 2      waits     -> 4
//   2      waits               -> 0                waits
//   3      waits                                   -> 0
//   4      -> 4                                    waits
//   5      -> 2                waits               -> 5      waits
//   6      -> 1      waits     -> 3      waits
//
// Restrictions: none.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/patterns.hpp"

namespace tutti::collectives {

Task barrier_binomial(Group& group)
{
    const patterns::BinomialTree tree(group.rank(), 0, group.size());
    for (int index = 0; index < tree.child_count(); ++index) {
        Operation report = group.recv(tree.child(index), {});
        co_await report;
    }
    if (!tree.is_root()) {
        Operation released = group.recv(tree.parent(), {});
        Operation reported = group.send(tree.parent(), {});
        co_await when_all(std::move(released), std::move(reported));
    }
    OperationList releases;
    for (int index = tree.child_count() - 1; index >= 0; --index)
        releases.add(group.send(tree.child(index), {}));
    co_await when_all(std::move(releases));
}

}  // namespace tutti::collectives
