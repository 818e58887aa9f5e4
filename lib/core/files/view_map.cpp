#include "lib/core/files/view_map.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "lib/core/files/file_error.hpp"
#include "lib/foundation/datatype/ascending.hpp"

namespace tutti::detail {

namespace {

[[noreturn]] void refuse_place()
{
    throw std::overflow_error("a place that no file can have");
}

}  // namespace

ViewMap::ViewMap(std::int64_t displacement, datatype::TypemapRef filetype) : displacement_(displacement)
{
    // The bytes of a contiguous type begin at its offset.
    if (filetype->is_contiguous() && filetype->size_bytes() != 0) {
        displacement_ += filetype->placed().offset_bytes;
        return;
    }
    filetype_ = std::move(filetype);
    if (filetype_->size_bytes() == 0)
        return;
    const std::optional<std::ptrdiff_t> reach = datatype::reach_if_ascending(*filetype_);
    if (!reach)
        ascending_bytes_ = 0;
    else if (filetype_->extent_bytes() < *reach)
        ascending_bytes_ = filetype_->size_bytes();
}

std::int64_t ViewMap::place_of(std::uint64_t byte) const
{
    std::int64_t place = 0;
    if (is_contiguous()) {
        if (byte > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ||
            __builtin_add_overflow(displacement_, static_cast<std::int64_t>(byte), &place))
            refuse_place();
        return place;
    }
    const std::size_t size = filetype_->size_bytes();
    if (size == 0)
        refuse_place();
    std::int64_t begin = 0;
    if (__builtin_mul_overflow(filetype_->extent_bytes(), byte / size, &begin) ||
        __builtin_add_overflow(begin, displacement_, &begin) ||
        __builtin_add_overflow(begin, filetype_->true_lower_bound() + filetype_->true_extent_bytes(), &place))
        refuse_place();
    datatype::walk(*filetype_, byte % size, byte % size + 1,
                   [&](std::ptrdiff_t offset, std::size_t) { place = begin + offset; });
    return place;
}

// Places ascend with bytes, so the answer is found by bisection: within the repetition that has the place, or
// the only one that ascends.
std::uint64_t ViewMap::bytes_before(std::int64_t place) const
{
    const std::int64_t ahead = place - displacement_;
    if (ahead <= 0)
        return 0;
    if (is_contiguous())
        return static_cast<std::uint64_t>(ahead);
    const std::uint64_t size = filetype_->size_bytes();
    const std::int64_t first = filetype_->true_lower_bound();
    if (size == 0 || ahead <= first)
        return 0;
    const std::int64_t extent = filetype_->extent_bytes();
    const std::uint64_t repetition =
        ascends(kAll) ? static_cast<std::uint64_t>((ahead - first - 1) / extent) : 0;
    std::uint64_t low = repetition * size;
    std::uint64_t high = low + size;
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (place_of(middle) < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void check_filetype(std::string_view call, std::string_view path, const datatype::Typemap& filetype,
                    std::size_t etype_bytes)
{
    const auto refuse = [&](const std::string& why) {
        throw FileError(FileFault::argument, call, fmt::format("{}: {}", path, why));
    };
    if (etype_bytes == 0 || filetype.size_bytes() % etype_bytes != 0)
        refuse(
            fmt::format("a view of {} bytes is no whole number of elements of {}; give both one element type",
                        filetype.size_bytes(), etype_bytes));
    if (filetype.size_bytes() == 0)
        return;
    const std::ptrdiff_t begin = filetype.placed().offset_bytes;
    if (begin < 0)
        refuse(fmt::format(
            "the view begins {} bytes in front of its displacement; move the displacement there", -begin));
    const std::optional<std::ptrdiff_t> bytes = datatype::reach_if_ascending(filetype);
    if (!bytes)
        refuse("the places of a view's elements must ascend and not overlap; sort its blocks");
    if (filetype.extent_bytes() < *bytes)
        refuse(fmt::format(
            "the view's elements lie in {} bytes, but it begins anew every {}; make its extent as "
            "long as its data",
            *bytes, filetype.extent_bytes()));
}

}  // namespace tutti::detail
