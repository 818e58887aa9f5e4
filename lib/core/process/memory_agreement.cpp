#include "lib/core/process/memory_agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

namespace tutti::detail {

namespace {

constexpr std::string_view kMemoryKey = "tutti.memory";           // the contact of a rank's inbox
constexpr std::string_view kSubtreeKey = "tutti.memory.subtree";  // the result of a rank and those below it
constexpr std::string_view kResultKey = "tutti.memory.result";    // of the node's lowest rank

constexpr int kNone = -1;

void publish_rank(bootstrap::Bootstrap& bootstrap, std::string_view key, int rank)
{
    bootstrap.publish(key, std::as_bytes(std::span(&rank, 1)));
}

int fetch_rank(bootstrap::Bootstrap& bootstrap, int from, std::string_view key)
{
    const std::vector<std::byte> value = bootstrap.fetch(from, key);
    int rank = kNone;
    if (value.size() != sizeof rank)
        throw Error(ErrorCode::protocol, "start", fmt::format("rank {} has another version of Tutti", from),
                    from);
    std::memcpy(&rank, value.data(), sizeof rank);
    return rank;
}

int lower(int one, int other) noexcept
{
    return one == kNone || other == kNone ? std::max(one, other) : std::min(one, other);
}

/// How far below the root of the binary tree the rank with this index is.
int level_of(std::size_t index) noexcept
{
    return static_cast<int>(std::bit_width(index + 1)) - 1;
}

}  // namespace

/// Access to memory is transitive: a process that may open another's memory may open what that one may open.
/// So each rank tries its right neighbour in a ring; if all succeed, every rank can open every other. The
/// answers go up a binary tree, level by level, and the root publishes the result.
std::optional<int> find_rank_apart(bootstrap::Bootstrap& bootstrap, const transport::shm::ShmTransport& shm)
{
    bootstrap.publish(kMemoryKey, shm.address());
    bootstrap.make_known();
    const std::span<const int> local = bootstrap.local_peers();
    const auto own =
        static_cast<std::size_t>(std::ranges::lower_bound(local, bootstrap.rank()) - local.begin());
    const int right = local[(own + 1) % local.size()];
    int apart = shm.can_open(bootstrap.fetch(right, kMemoryKey)) ? kNone : bootstrap.rank();
    for (int level = level_of(local.size() - 1); level > 0; --level) {
        if (level_of(own) == level)
            publish_rank(bootstrap, kSubtreeKey, apart);
        bootstrap.make_known();
        if (level_of(own) == level - 1)
            for (std::size_t child = 2 * own + 1; child <= 2 * own + 2 && child < local.size(); ++child)
                apart = lower(apart, fetch_rank(bootstrap, local[child], kSubtreeKey));
    }
    if (own == 0)
        publish_rank(bootstrap, kResultKey, apart);
    bootstrap.make_known();
    if (own != 0)
        apart = fetch_rank(bootstrap, local.front(), kResultKey);
    return apart == kNone ? std::nullopt : std::optional(apart);
}

}  // namespace tutti::detail
