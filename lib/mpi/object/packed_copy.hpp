// A copy of what a buffer holds, for sends whose buffer is used otherwise before they end.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

#include "lib/foundation/datatype/transfer.hpp"
#include "tutti/buffer.hpp"

namespace tutti::mpi {

/// Writes the bytes of `view`, without gaps; `to` has room for them.
inline void pack_into(std::byte* to, const detail::ConstView& view)
{
    if (view.layout != nullptr)
        datatype::pack(*view.layout, view.size_bytes / view.layout->size_bytes(), view.data, 0,
                       {to, view.size_bytes});
    else if (view.size_bytes != 0)
        std::memcpy(to, view.data, view.size_bytes);
}

inline std::shared_ptr<std::byte[]> packed_copy(const detail::ConstView& view)
{
    auto copy = std::make_shared_for_overwrite<std::byte[]>(view.size_bytes);
    pack_into(copy.get(), view);
    return copy;
}

}  // namespace tutti::mpi
