// Memory of tutti::allocate with more than its alignment.
#pragma once

#include <cstddef>

namespace tutti::detail {

/// Memory of tutti::allocate, at a multiple of `alignment`, a power of two. Where that is at most a page,
/// ranks of the node map the memory at such an address, too. tutti::deallocate frees it.
void* allocate_aligned(std::size_t bytes, std::size_t alignment);

}  // namespace tutti::detail
