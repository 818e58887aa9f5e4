// Tensors in memory that the other ranks of the host can read.
#pragma once

namespace torch_tutti {

/// Whether tensors of 1 KiB and more that this thread makes from now on are in such memory, which collectives
/// read in place. Not for all tensors: it costs more to make, and a forked child may see what its parent
/// writes later.
void share_new_tensors(bool share);

}  // namespace torch_tutti
