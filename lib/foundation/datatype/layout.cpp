// The C++ interface of datatypes.
#include "tutti/layout.hpp"

#include <fmt/format.h>

#include <vector>

#include "lib/foundation/datatype/arithmetic.hpp"
#include "lib/foundation/datatype/build.hpp"
#include "lib/foundation/datatype/transfer.hpp"
#include "tutti/buffer.hpp"
#include "tutti/error.hpp"

namespace tutti {

using datatype::Typemap;

Layout::Layout(const Typemap& typemap) noexcept : typemap_(&typemap)
{
    typemap.add_reference();
}

Layout::Layout(const Layout& other) noexcept : typemap_(other.typemap_)
{
    if (typemap_ != nullptr)
        typemap_->add_reference();
}

Layout::~Layout()
{
    if (typemap_ != nullptr)
        typemap_->drop_reference();
}

Layout Layout::strided(std::size_t count, std::size_t block, std::ptrdiff_t stride, std::size_t element_bytes)
{
    const std::size_t block_bytes = datatype::size_product(block, element_bytes);
    const std::ptrdiff_t stride_bytes = datatype::product(stride, element_bytes);
    return Layout(*datatype::strided_bytes(count, block_bytes, stride_bytes));
}

Layout Layout::indexed(std::span<const Block> blocks)
{
    std::vector<datatype::Block> places;
    places.reserve(blocks.size());
    for (const Block& block : blocks)
        places.push_back({block.offset_bytes, block.size_bytes});
    return Layout(*datatype::hindexed(std::move(places), *datatype::bytes(1)));
}

Layout Layout::indexed(std::span<const std::ptrdiff_t> offsets, std::span<const std::size_t> lengths,
                       std::size_t element_bytes)
{
    if (offsets.size() != lengths.size())
        throw Error(ErrorCode::invalid_argument, "indexed",
                    fmt::format("{} offsets but {} lengths; give one length for each offset", offsets.size(),
                                lengths.size()));
    std::vector<datatype::Block> blocks(offsets.size());
    for (std::size_t i = 0; i < blocks.size(); ++i)
        blocks[i] = {offsets[i], lengths[i]};
    return Layout(*datatype::indexed(std::move(blocks), *datatype::bytes(element_bytes)));
}

Layout Layout::subarray(std::span<const std::size_t> sizes, std::span<const std::size_t> taken,
                        std::span<const std::size_t> starts, std::size_t element_bytes)
{
    if (sizes.empty() || sizes.size() != taken.size() || sizes.size() != starts.size())
        throw Error(ErrorCode::invalid_argument, "subarray",
                    fmt::format("{} sizes, {} sizes of the part and {} starts; give one of each for each "
                                "dimension",
                                sizes.size(), taken.size(), starts.size()));
    std::vector<datatype::Dimension> dimensions(sizes.size());
    for (std::size_t i = 0; i < dimensions.size(); ++i)
        dimensions[i] = {sizes[i], taken[i], starts[i]};
    return Layout(*datatype::subarray(dimensions, datatype::Order::c, *datatype::bytes(element_bytes)));
}

Layout Layout::repeated_every(std::size_t extent_bytes) const
{
    return Layout(*datatype::resized(0, datatype::sum(extent_bytes, 0), *typemap_));
}

std::size_t Layout::size_bytes() const noexcept
{
    return typemap_->size_bytes();
}

void Layout::pack(const std::byte* base, std::size_t from, std::span<std::byte> out) const
{
    datatype::pack(*typemap_, 1, base, from, out);
}

void Layout::unpack(std::byte* base, std::size_t from, std::span<const std::byte> in) const
{
    datatype::unpack(*typemap_, 1, base, from, in);
}

detail::ConstView detail::laid_out(const std::byte* base, const Layout& layout,
                                   std::size_t element_bytes) noexcept
{
    const Typemap& type = layout.typemap();
    const std::ptrdiff_t offset = type.placed().offset_bytes;
    const bool whole_elements =
        type.size_bytes() % element_bytes == 0 && offset % static_cast<std::ptrdiff_t>(element_bytes) == 0;
    if (!type.is_one_run() || !whole_elements)
        return {base, type.size_bytes(), &type};
    return {base == nullptr ? nullptr : base + offset, type.size_bytes(), nullptr};
}

}  // namespace tutti
