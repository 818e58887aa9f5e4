#include "lib/mpi/collective/collective_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/core/calls/intercommunicator_calls.hpp"
#include "lib/core/communicators/buffer_checks.hpp"
#include "lib/foundation/datatype/build.hpp"

namespace tutti::mpi {

namespace {

[[noreturn]] void refuse_count(std::size_t rank, MPI_Count count)
{
    refuse_negative(fmt::format("the count for rank {}", rank), count, MPI_ERR_COUNT);
}

[[noreturn]] void refuse_extent(std::size_t element_bytes)
{
    fail(MPI_ERR_COUNT, fmt::format("the counts and displacements, in elements of {} bytes, exceed the "
                                    "address space",
                                    element_bytes));
}

void check_given(const Counts& numbers, const char* name)
{
    if (numbers.is_null())
        fail(MPI_ERR_ARG, fmt::format("the {} are a null pointer; pass a number for each rank", name));
}

}  // namespace

void refuse_in_place()
{
    fail(MPI_ERR_BUFFER,
         "MPI_IN_PLACE stands for a buffer that cannot be left out here; it is for the send buffer, in a "
         "scatter for the root's receive buffer, and never on an intercommunicator");
}

detail::View equal_blocks(const void* buffer, MPI_Count count, MPI_Datatype datatype, std::size_t ranks)
{
    MPI_Count all = 0;
    if (__builtin_mul_overflow(count, static_cast<MPI_Count>(ranks), &all))
        refuse_extent(static_cast<std::size_t>(datatype_of(datatype).map->size_bytes()));
    return own_block(const_cast<void*>(buffer), count < 0 ? count : all, datatype);
}

detail::BlockBuffers from_to(const detail::ConstView& in, const detail::View& out)
{
    detail::BlockBuffers buffers{
        {in.data, in.size_bytes, 1}, {out.data, out.size_bytes, 1}, false, in.layout, out.layout};
    const bool both_contiguous = in.layout == nullptr && out.layout == nullptr;
    if (both_contiguous && in.size_bytes != 0 && out.size_bytes != 0 && overlap(buffers.in, buffers.out))
        [[unlikely]]
        buffers.in_layout = datatype_of(MPI_BYTE).map.get();
    return buffers;
}

Root::Root(const detail::CommunicatorState& state, int root)
    : rank(root), has_own(true), has_whole(root == state.rank())
{
    if (is_inter(state)) {
        rank = root == MPI_ROOT ? detail::kRootHere : root == MPI_PROC_NULL ? detail::kRootBeside : root;
        has_own = root >= 0;
        has_whole = root == MPI_ROOT;
        if (root == MPI_ROOT || root == MPI_PROC_NULL)
            return;
    }
    check_rank(root, static_cast<int>(ranks_of(state)), "the root",
               is_inter(state) ? " of the other group" : " of this communicator", MPI_ERR_ROOT);
}

RankNumbers checked_counts(Counts counts, std::size_t ranks)
{
    check_given(counts, "counts");
    RankNumbers checked(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (counts[rank] < 0)
            refuse_count(rank, counts[rank]);
        checked.data()[rank] = static_cast<std::size_t>(counts[rank]);
    }
    return checked;
}

BlockList::BlockList(const void* buffer, Counts counts, Counts displacements, MPI_Datatype datatype,
                     std::size_t ranks)
    : numbers_(2 * ranks)
{
    check_is_memory(buffer);
    check_given(counts, "counts");
    check_given(displacements, "displacements");
    const datatype::Typemap& map = *committed_type(datatype).map;
    MPI_Count low = 0;
    MPI_Count high = 0;
    MPI_Count total = 0;
    bool fits = true;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        const MPI_Count count = counts[rank];
        if (count < 0)
            refuse_count(rank, count);
        const bool is_empty = count == 0 || map.size_bytes() == 0;
        const MPI_Count first = displacements[rank];
        sizes()[rank] = is_empty ? 0 : static_cast<std::size_t>(count);
        places()[rank] = static_cast<std::size_t>(first);
        if (is_empty)
            continue;
        MPI_Count end = 0;
        fits &= !__builtin_add_overflow(first, count, &end);
        low = total == 0 ? first : std::min(low, first);
        high = total == 0 ? end : std::max(high, end);
        fits &= !__builtin_add_overflow(total, count, &total);
    }
    MPI_Count span = 0;
    fits = fits && !__builtin_sub_overflow(high, low, &span);
    for (const MPI_Count elements : {low, high, span, total})
        for (const MPI_Count each :
             {MPI_Count{map.extent_bytes()}, static_cast<MPI_Count>(map.size_bytes())}) {
            MPI_Count bytes = 0;
            fits = fits && !__builtin_mul_overflow(elements, each, &bytes);
        }
    if (!fits)
        refuse_extent(map.size_bytes());
    for (std::size_t rank = 0; rank < ranks; ++rank)
        places()[rank] = sizes()[rank] == 0 ? 0 : places()[rank] - static_cast<std::size_t>(low);
    if (total == 0)
        return;
    if (buffer == nullptr && map.true_lower_bound() == 0)
        refuse_null_buffer(total, "elements");
    auto* const first = static_cast<std::byte*>(const_cast<void*>(buffer)) + low * map.extent_bytes();
    if (map.is_contiguous())
        place_contiguous(first, static_cast<std::size_t>(span), map);
    else
        lay_out(first, map);
}

void BlockList::place_contiguous(std::byte* first, std::size_t span, const datatype::Typemap& map)
{
    const std::size_t each = map.size_bytes();
    for (std::size_t& size : sizes())
        size *= each;
    for (std::size_t& place : places())
        place *= each;
    view_ = {first + map.true_lower_bound(), span * each, nullptr};
}

void BlockList::lay_out(std::byte* first, const datatype::Typemap& map)
{
    std::vector<datatype::Block> blocks;
    std::size_t total = 0;
    for (std::size_t rank = 0; rank < sizes().size(); ++rank) {
        std::size_t& size = sizes()[rank];
        if (size != 0)
            blocks.push_back({static_cast<std::ptrdiff_t>(places()[rank]), size});
        size *= map.size_bytes();
        places()[rank] = total;
        total += size;
    }
    layout_ = datatype::indexed(std::move(blocks), map);
    view_ = {first, total, layout_.get()};
}

BlockCounts BlockList::counts() const noexcept
{
    const std::span all(numbers_.data(), numbers_.size());
    return {all.first(all.size() / 2), all.last(all.size() / 2)};
}

std::vector<detail::TypedBlock> typed_blocks(const void* buffer, Counts counts, Counts displacements,
                                             const MPI_Datatype* datatypes, std::size_t ranks)
{
    check_is_memory(buffer);
    check_given(counts, "counts");
    check_given(displacements, "displacements");
    check_not_null(datatypes, "the array of datatypes");
    std::vector<detail::TypedBlock> blocks;
    blocks.reserve(ranks);
    const auto base = reinterpret_cast<std::uintptr_t>(buffer);  // MPI_BOTTOM as well
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        const MPI_Count count = counts[rank];
        if (count < 0)
            refuse_count(rank, count);
        // An empty block may have any type, as programs pass MPI_DATATYPE_NULL there.
        const Datatype& type = committed_type(count == 0 ? MPI_BYTE : datatypes[rank]);
        auto* const first =
            reinterpret_cast<std::byte*>(base + static_cast<std::uintptr_t>(displacements[rank]));
        const bool is_empty = view_of(first, count, handle_of(type)).size_bytes == 0;
        blocks.push_back({first, is_empty ? 0 : static_cast<std::size_t>(count), type.map.get()});
    }
    return blocks;
}

}  // namespace tutti::mpi
