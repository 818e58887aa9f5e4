// Buffered sends.
#pragma once

namespace tutti::mpi {

/// Detaches all buffers after their messages have left. Throws Failure or Error for a lost one.
void end_buffers();

}  // namespace tutti::mpi
