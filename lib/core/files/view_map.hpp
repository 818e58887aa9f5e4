// Where the bytes of a view lie in the file: a displacement, and repetitions of a filetype from there on.
// Nothing is flattened: places are found in the datatype as it is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/foundation/datatype/walk.hpp"

namespace tutti::detail {

class ViewMap {
public:
    /// All bytes of the file.
    ViewMap() = default;
    /// No place of the filetype is negative.
    ViewMap(std::int64_t displacement, datatype::TypemapRef filetype);

    std::int64_t displacement() const noexcept { return displacement_; }
    bool is_contiguous() const noexcept { return !filetype_; }
    /// Whether the places of the view's first bytes ascend, so that none is there twice. They do not where
    /// parts of the filetype overlap or descend, and only in its first repetition where repetitions overlap.
    bool ascends(std::uint64_t to) const noexcept { return to <= ascending_bytes_; }

    /// The place of a byte of the view. Throws std::overflow_error where it is none that a file can have.
    std::int64_t place_of(std::uint64_t byte) const;
    /// How many bytes of the view lie before a place, if the view ascends there; within the first repetition
    /// if it ascends only in that.
    std::uint64_t bytes_before(std::int64_t place) const;

    /// Calls visit(place, bytes) for the runs of the bytes [from, to) of the view, in their order; runs
    /// that touch are one.
    template <class Visit>
    void for_each_run(std::uint64_t from, std::uint64_t to, Visit&& visit) const
    {
        if (from >= to)
            return;
        if (is_contiguous())
            return visit(displacement_ + static_cast<std::int64_t>(from), to - from);
        datatype::walk(*filetype_, from, to, [&](std::ptrdiff_t offset, std::size_t bytes) {
            visit(displacement_ + offset, std::uint64_t{bytes});
        });
    }

private:
    static constexpr std::uint64_t kAll = ~std::uint64_t{0};

    std::int64_t displacement_ = 0;
    datatype::TypemapRef filetype_;  // none: contiguous
    std::uint64_t ascending_bytes_ = kAll;
};

/// Throws FileError, in the name of `call`, unless the places of a filetype ascend, also from one repetition
/// to the next, begin at 0 or later, and are whole etypes.
void check_filetype(std::string_view call, std::string_view path, const datatype::Typemap& filetype,
                    std::size_t etype_bytes);

}  // namespace tutti::detail
