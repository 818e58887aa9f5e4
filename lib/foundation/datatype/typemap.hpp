// A datatype in MPI's sense: which bytes of an element are sent, and the distance between elements.
#pragma once

#include <algorithm>
#include <cstddef>

#include "lib/foundation/base/counted.hpp"
#include "lib/foundation/datatype/shape.hpp"
#include "lib/foundation/datatype/signature.hpp"

namespace tutti::datatype {

/// From a lowest to a highest offset; invalid when there are no bytes.
struct Range {
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = 0;
    bool any = false;

    void include(const Range& other) noexcept
    {
        low = any && (!other.any || low < other.low) ? low : other.low;
        high = any && (!other.any || high > other.high) ? high : other.high;
        any = any || other.any;
    }
    /// Both throw ErrorCode::invalid_argument when a bound is no valid offset.
    Range moved(std::ptrdiff_t offset_bytes) const;
    /// The range of `count` of them at a distance of stride_bytes.
    Range repeated(std::size_t count, std::ptrdiff_t stride_bytes) const;
};

/// Everything that a constructor computes.
struct Description {
    Placed placed;
    Signature signature;
    Range data;   // of the bytes that are sent
    Range marks;  // explicit bounds of this type or of a resized part; they replace `data`
    std::size_t alignment = 1;
};

/// Immutable; made by the constructors of build.hpp. The terms are MPI's.
class Typemap final : public base::Counted<Typemap> {
public:
    /// Throws ErrorCode::invalid_argument when the extent is no valid offset.
    explicit Typemap(Description description);

    std::size_t size_bytes() const noexcept { return signature().bytes; }
    std::ptrdiff_t lower_bound() const noexcept { return bounds_.low; }
    std::ptrdiff_t upper_bound() const noexcept { return bounds_.high; }
    std::ptrdiff_t extent_bytes() const noexcept { return bounds_.high - bounds_.low; }
    std::ptrdiff_t true_lower_bound() const noexcept { return description_.data.low; }
    std::ptrdiff_t true_extent_bytes() const noexcept
    {
        return description_.data.high - description_.data.low;
    }
    std::size_t alignment() const noexcept { return description_.alignment; }

    /// One element's bytes are contiguous, in the order of transfer.
    bool is_one_run() const noexcept { return description_.placed.is_one_run(); }
    /// The bytes of any number of elements are contiguous.
    bool is_contiguous() const noexcept { return contiguous_; }

    const Placed& placed() const noexcept { return description_.placed; }
    const Signature& signature() const noexcept { return description_.signature; }
    /// For constructors.
    const Description& description() const noexcept { return description_; }

private:
    Description description_;
    Range bounds_;
    bool contiguous_;
};

using TypemapRef = base::Ref<const Typemap>;

}  // namespace tutti::datatype
