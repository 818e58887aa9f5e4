// The arguments of collectives as the core takes them: buffers, blocks, roots.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/views.hpp"
#include "tutti/blocks.hpp"
#include "tutti/calls.hpp"

namespace tutti::mpi {

inline bool is_inter(const detail::CommunicatorState& state) noexcept
{
    return state.both() != nullptr;
}
/// The ranks with which a collective exchanges blocks: those of the other group on an intercommunicator.
inline std::size_t ranks_of(const detail::CommunicatorState& state) noexcept
{
    return state.peers().size();
}

[[noreturn]] void refuse_in_place();
/// MPI_IN_PLACE is no buffer, except where is_in_place() asks for it.
inline void check_is_memory(const void* buffer)
{
    if (buffer == MPI_IN_PLACE) [[unlikely]]
        refuse_in_place();
}
/// Throws Failure on an intercommunicator, whose collectives do not work in place.
inline bool is_in_place(const detail::CommunicatorState& state, const void* buffer)
{
    if (buffer != MPI_IN_PLACE) [[likely]]
        return false;
    if (is_inter(state))
        refuse_in_place();
    return true;
}

/// The block of one rank.
inline detail::ConstView own_block(const void* buffer, MPI_Count count, MPI_Datatype datatype)
{
    check_is_memory(buffer);
    return const_view_of(buffer, count, datatype);
}
inline detail::View own_block(void* buffer, MPI_Count count, MPI_Datatype datatype)
{
    check_is_memory(buffer);
    return view_of(buffer, count, datatype);
}

/// `ranks` blocks of `count` elements.
detail::View equal_blocks(const void* buffer, MPI_Count count, MPI_Datatype datatype, std::size_t ranks);

/// Input and output. If they share memory, the input is copied before it is sent.
detail::BlockBuffers from_to(const detail::ConstView& in, const detail::View& out);
/// One buffer for input and output.
inline detail::BlockBuffers in_place(const detail::View& buffer) noexcept
{
    return {{}, {buffer.data, buffer.size_bytes, 1}, true, nullptr, buffer.layout};
}

/// The root of a collective, and which buffers this rank has: a block of its own, or the blocks of all ranks.
struct Root {
    /// Throws Failure for a root that is no rank of the communicator.
    Root(const detail::CommunicatorState& state, int root);

    int rank;  // or the core's constants for the group of an intercommunicator's root
    bool has_own;
    bool has_whole;
};

/// A number for each rank, several times. For few ranks there is no allocation.
class RankNumbers {
public:
    explicit RankNumbers(std::size_t count) : count_(count), many_(count <= kFew ? 0 : count) {}
    std::size_t* data() noexcept { return count_ <= kFew ? few_.data() : many_.data(); }
    const std::size_t* data() const noexcept { return count_ <= kFew ? few_.data() : many_.data(); }
    std::size_t size() const noexcept { return count_; }

private:
    static constexpr std::size_t kFew = 32;
    std::size_t count_;
    std::array<std::size_t, kFew> few_;
    std::vector<std::size_t> many_;
};

/// The counts, one for each rank. Throws Failure if one is negative.
RankNumbers checked_counts(Counts counts, std::size_t ranks);

/// A block for each rank, with counts and displacements in elements of one datatype.
class BlockList {
public:
    /// No blocks: for ranks whose buffer is ignored.
    BlockList() : numbers_(0) {}
    /// Throws Failure for counts and types that are wrong, and for null pointers to elements.
    BlockList(const void* buffer, Counts counts, Counts displacements, MPI_Datatype datatype,
              std::size_t ranks);

    /// From the first to the last block, or of a datatype with gaps, the bytes of all blocks and nothing
    /// else. The layout lives as long as this object or the call.
    const detail::View& view() const noexcept { return view_; }
    /// In bytes of the view. Refers to this object.
    BlockCounts counts() const noexcept;

private:
    std::span<std::size_t> sizes() noexcept { return {numbers_.data(), numbers_.size() / 2}; }
    std::span<std::size_t> places() noexcept
    {
        return {numbers_.data() + numbers_.size() / 2, numbers_.size() / 2};
    }
    void place_contiguous(std::byte* first, std::size_t span, const datatype::Typemap& map);
    void lay_out(std::byte* first, const datatype::Typemap& map);

    detail::View view_{nullptr, 0, nullptr};
    datatype::TypemapRef layout_;
    RankNumbers numbers_;  // sizes, then places
};

/// Blocks with a datatype each, and displacements in bytes.
std::vector<detail::TypedBlock> typed_blocks(const void* buffer, Counts counts, Counts displacements,
                                             const MPI_Datatype* datatypes, std::size_t ranks);

}  // namespace tutti::mpi
