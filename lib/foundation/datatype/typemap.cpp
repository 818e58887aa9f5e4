#include "lib/foundation/datatype/typemap.hpp"

#include <utility>

#include "lib/foundation/datatype/arithmetic.hpp"

namespace tutti::datatype {

namespace {

// Without explicit bounds the upper bound is rounded up, so that all elements in a row are aligned.
Range bounds_of(const Description& description)
{
    if (description.marks.any)
        return description.marks;
    Range bounds = description.data;
    const auto rest = static_cast<std::size_t>(difference(bounds.high, bounds.low)) % description.alignment;
    if (rest != 0)
        bounds.high = sum(bounds.high, description.alignment - rest);
    return bounds;
}

}  // namespace

Range Range::moved(std::ptrdiff_t offset_bytes) const
{
    return any ? Range{sum(low, offset_bytes), sum(high, offset_bytes), true} : *this;
}

Range Range::repeated(std::size_t count, std::ptrdiff_t stride_bytes) const
{
    if (count == 0 || !any)
        return {};
    Range all = *this;
    all.include(moved(product(count - 1, stride_bytes)));
    return all;
}

Typemap::Typemap(Description description)
    : description_(std::move(description)), bounds_(bounds_of(description_))
{
    const std::ptrdiff_t extent = difference(bounds_.high, bounds_.low);
    difference(description_.data.high, description_.data.low);
    contiguous_ = is_one_run() && (size_bytes() == 0 || std::cmp_equal(extent, size_bytes()));
}

}  // namespace tutti::datatype
