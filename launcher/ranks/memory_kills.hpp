// Which ends of processes were the kernel's doing, for want of memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "lib/foundation/base/cgroup.hpp"

namespace tutti::launcher {

class MemoryKills {
public:
    /// `root` stands for "/" (tests pass a folder).
    explicit MemoryKills(std::filesystem::path root = "/")
        : root_(std::move(root)), explained_(base::out_of_memory_kills(root_).value_or(0))
    {
    }

    /// A process was killed: whether the kernel did it for want of memory. Each kill that the kernel has
    /// counted explains one end: it counts before it kills, and may kill several at once.
    bool explains_one()
    {
        const bool more = base::out_of_memory_kills(root_).value_or(0) > explained_;
        explained_ += more ? 1 : 0;
        return more;
    }

private:
    const std::filesystem::path root_;
    std::uint64_t explained_;
};

}  // namespace tutti::launcher
