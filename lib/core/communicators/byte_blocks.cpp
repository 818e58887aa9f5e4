#include "lib/core/communicators/byte_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tutti/error.hpp"

namespace tutti::detail {

namespace {

[[noreturn]] void refuse_number(std::string_view operation, std::string_view name, std::string_view what,
                                std::string_view whose, std::size_t given, std::size_t ranks)
{
    throw Error(ErrorCode::invalid_argument, operation,
                fmt::format("the {} has {} {}, but the communicator {} {}s; give one for each {}", name,
                            given, what, ranks, whose, whose));
}

[[noreturn]] void refuse_block(std::string_view operation, std::string_view name, std::string_view whose,
                               std::size_t rank, std::size_t count, std::size_t first, std::size_t elements)
{
    throw Error(ErrorCode::invalid_argument, operation,
                fmt::format("the block of {} {}, {} elements from {} on, does not fit into the {} of {} "
                            "elements; counts and displacements are in elements of that buffer",
                            whose, rank, count, first, name, elements));
}

void check_apart(std::string_view operation, std::string_view name, std::span<const std::size_t> sizes,
                 std::span<const std::size_t> offsets, std::size_t element_bytes, std::string_view whose)
{
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [&](std::size_t rank) { return sizes[rank] == 0; });
    const auto by_offset = [&](std::size_t a, std::size_t b) { return offsets[a] < offsets[b]; };
    if (!std::is_sorted(order.begin(), order.end(), by_offset))
        std::sort(order.begin(), order.end(), by_offset);
    for (std::size_t i = 1; i < order.size(); ++i) {
        const std::size_t before = order[i - 1];
        const std::size_t after = order[i];
        if (offsets[before] + sizes[before] > offsets[after])
            throw Error(ErrorCode::invalid_argument, operation,
                        fmt::format("in the {} the blocks of {}s {} ({} elements from {}) and {} (from {}) "
                                    "overlap; every block needs elements of its own",
                                    name, whose, before, sizes[before] / element_bytes,
                                    offsets[before] / element_bytes, after, offsets[after] / element_bytes));
    }
}

}  // namespace

void refuse_null(std::string_view operation, std::string_view name, std::size_t count, std::string_view unit)
{
    throw Error(
        ErrorCode::invalid_argument, operation,
        fmt::format("the {} is a null pointer to {} {}; pass memory that holds them", name, count, unit));
}

ByteBlocks::ByteBlocks(std::string_view operation, std::string_view name, const BlockCounts& blocks,
                       ConstElements buffer, int ranks, Use use, std::string_view whose)
    : ranks_(static_cast<std::size_t>(ranks)), many_(ranks_ <= kFewRanks ? 0 : 2 * ranks_)
{
    check_memory(operation, name, buffer);
    const std::span counts = blocks.counts();
    const std::span displacements = blocks.displacements();
    const bool packed = blocks.packed();
    if (counts.size() != ranks_) [[unlikely]]
        refuse_number(operation, name, "counts", whose, counts.size(), ranks_);
    if (!packed && displacements.size() != ranks_) [[unlikely]]
        refuse_number(operation, name, "displacements", whose, displacements.size(), ranks_);
    std::size_t* const numbers = ranks_ <= kFewRanks ? few_.data() : many_.data();
    std::size_t next = 0;
    std::size_t end = 0;
    bool in_order = true;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
        const std::size_t count = counts[rank];
        const std::size_t first = packed ? next : displacements[rank];
        if (first > buffer.count || count > buffer.count - first) [[unlikely]]
            refuse_block(operation, name, whose, rank, count, first, buffer.count);
        next = first + count;
        if (count != 0) {
            in_order &= first >= end;
            end = next;
        }
        numbers[rank] = count * buffer.element_bytes;
        numbers[ranks_ + rank] = first * buffer.element_bytes;
    }
    if (use == Use::received && !in_order)
        check_apart(operation, name, sizes(), offsets(), buffer.element_bytes, whose);
}

}  // namespace tutti::detail
