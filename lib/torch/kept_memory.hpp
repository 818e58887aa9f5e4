// Memory that operations use for a while, kept for the next ones.
#pragma once

#include <cstddef>

#include <ATen/ATen.h>

namespace torch_tutti {

/// Bytes with any contents. Large ones are in memory that peers can read, which is used again when the tensor
/// has ended: pages that the system has just given cost more than the operation. Up to 64 MiB are kept. Any
/// thread.
at::Tensor kept_memory(std::size_t bytes);

}  // namespace torch_tutti
