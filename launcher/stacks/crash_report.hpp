// What is known of how a rank has failed: why, and where its thread was.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "launcher/stacks/stack.hpp"
#include "lib/foundation/control/packet.hpp"

namespace tutti::launcher {

struct CrashReport {
    int signal = 0;         // by which it crashes; 0: it has not said that it does
    std::string reason;     // "Segmentation fault at address 0x0"
    std::string last_call;  // of Tutti, in words
    std::vector<StackFrame> frames;
    std::string missing;  // why there are no frames; empty: nobody has asked for them

    /// Whether the kernel has killed the rank, which says nothing itself then.
    bool was_for_memory() const noexcept { return signal == 0 && !reason.empty(); }

    static auto fields(auto& self)
    {
        return std::tie(self.signal, self.reason, self.last_call, self.frames, self.missing);
    }
};

/// The signal, and its cause as the kernel knows it.
std::string describe_crash(const control::Crash& crash);

/// The lines below that on the rank's end, each after a line end; empty where nothing more is known.
std::string describe_place(const CrashReport& report);

/// Whether two ranks have crashed alike: by the same signal, at the same place of the user's program as far
/// as it is known of both; or were both killed for want of memory.
bool alike(const CrashReport& a, const CrashReport& b);

}  // namespace tutti::launcher
