// Memory of tutti::allocate with more than its alignment.
#pragma once

#include <cstddef>

namespace tutti::detail {

/// As tutti::allocate, whose alignment it has at least: at a multiple of `alignment`, a power of two. Of up
/// to a page, ranks of the node map it at such an address, too. tutti::deallocate frees it.
void* allocate_aligned(std::size_t bytes, std::size_t alignment);

}  // namespace tutti::detail
