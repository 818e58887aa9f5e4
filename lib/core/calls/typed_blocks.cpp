#include "lib/core/calls/typed_blocks.hpp"

#include <fmt/format.h>

#include "lib/core/communicators/buffer_checks.hpp"
#include "lib/foundation/datatype/transfer.hpp"

namespace tutti::detail {

TypedBlocks::TypedBlocks(std::string_view operation, std::string_view name,
                         std::span<const TypedBlock> blocks, std::size_t ranks, Place place)
{
    if (blocks.size() != ranks)
        refuse(operation, fmt::format("the {} has {} blocks for {} ranks; give one for each", name,
                                      blocks.size(), ranks));
    std::size_t memory_bytes = 0;
    for (const auto& [base, count, type] : blocks) {
        const std::size_t size_bytes = count * type->size_bytes();
        const bool in_place = place == Place::shared && (size_bytes == 0 || type->is_contiguous() ||
                                                         (count == 1 && type->is_one_run()));
        if (in_place) {
            bytes_.emplace_back(size_bytes == 0 ? nullptr : base + type->placed().offset_bytes, size_bytes);
            continue;
        }
        copied_.push_back({bytes_.size(), base, count, datatype::TypemapRef(type)});
        bytes_.emplace_back(static_cast<std::byte*>(nullptr), size_bytes);
        memory_bytes += size_bytes;
    }
    memory_ = std::make_unique_for_overwrite<std::byte[]>(memory_bytes);
    std::byte* next = memory_.get();
    for (const Copied& copy : copied_) {
        std::span<std::byte>& bytes = bytes_[copy.block];
        bytes = {next, bytes.size()};
        next += bytes.size();
    }
}

void TypedBlocks::pack() const
{
    for (const auto& [block, base, count, type] : copied_)
        datatype::pack(*type, count, base, 0, bytes_[block]);
}

void TypedBlocks::unpack() const
{
    for (const auto& [block, base, count, type] : copied_)
        datatype::unpack(*type, count, base, 0, bytes_[block]);
}

}  // namespace tutti::detail
