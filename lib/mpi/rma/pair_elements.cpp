#include "lib/mpi/rma/pair_elements.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "lib/foundation/datatype/build.hpp"
#include "lib/foundation/datatype/runs.hpp"

namespace tutti::mpi {

namespace {

bool is_pair(const Datatype& type) noexcept
{
    return type.number && index_bytes(*type.number) != 0;
}

const Datatype* only_pair(const Construction& made)
{
    const Datatype* found = nullptr;
    for (const Construction::Inner& inner : made.types()) {
        const Datatype* pair = nullptr;
        if (inner.construction)
            pair = only_pair(*inner.construction);
        else if (const Datatype& type = datatype_of(inner.permanent); is_pair(type))
            pair = &type;
        if (pair == nullptr || (found != nullptr && found != pair))
            return nullptr;
        found = pair;
    }
    return found;
}

}  // namespace

const Datatype* only_pair(const Datatype& type)
{
    if (type.construction)
        return only_pair(*type.construction);
    return is_pair(type) ? &type : nullptr;
}

datatype::TypemapRef with_gaps(const Datatype& type, const Datatype& pair)
{
    const std::size_t sent_bytes = pair.map->size_bytes();
    const std::size_t whole_bytes = size_bytes(*pair.number);
    std::vector<datatype::Block> pairs;
    std::size_t left = 0;  // of the pair that the last run has begun
    for_each_run(*type.map, 1, [&](std::ptrdiff_t offset, std::size_t bytes) {
        while (bytes != 0) {
            if (left == 0) {
                pairs.push_back({offset, whole_bytes});
                left = sent_bytes;
            }
            const std::size_t passed = std::min(left, bytes);
            left -= passed;
            bytes -= passed;
            offset += static_cast<std::ptrdiff_t>(passed);
        }
    });
    return datatype::resized(type.map->lower_bound(), type.map->extent_bytes(),
                             *datatype::hindexed(std::move(pairs), *datatype::bytes(1)));
}

}  // namespace tutti::mpi
