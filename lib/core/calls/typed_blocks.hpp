// The blocks of alltoallw, each with a datatype of its own, as bytes that are sent and received.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lib/foundation/datatype/typemap.hpp"
#include "tutti/calls.hpp"

namespace tutti::detail {

/// Contiguous blocks stay where they are; the others have a packed copy. A plan keeps it: it moves no data
/// but between pack() and unpack().
class TypedBlocks {
public:
    enum class Place { shared, copied };

    /// Throws ErrorCode::invalid_argument in the name of `operation` unless there is a block for each of
    /// `ranks` ranks. `copied`: contiguous blocks have copies too.
    TypedBlocks(std::string_view operation, std::string_view name, std::span<const TypedBlock> blocks,
                std::size_t ranks, Place place = Place::shared);

    /// Valid while this object lives, also after it has been moved.
    std::span<const std::span<std::byte>> bytes() const noexcept { return bytes_; }
    /// Makes the first block that of each of `ranks` ranks, at least one.
    void repeat(std::size_t ranks) { bytes_.resize(ranks, std::span(bytes_.front())); }
    /// From the blocks into the copies, and back.
    void pack() const;
    void unpack() const;

private:
    struct Copied {
        std::size_t block;
        std::byte* base;
        std::size_t count;
        datatype::TypemapRef type;
    };

    std::vector<std::span<std::byte>> bytes_;
    std::vector<Copied> copied_;
    std::unique_ptr<std::byte[]> memory_;
};

}  // namespace tutti::detail
