// What a long wait of this rank is for, on its status page: what it awaits, and which messages nobody has
// received.
#pragma once

#include <cstdint>

namespace tutti::detail {

class Process;

/// A wait has lasted so long. Under the engine's lock.
void note_situation(Process& process, std::int64_t waited_ns) noexcept;

}  // namespace tutti::detail
