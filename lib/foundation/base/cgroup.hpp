// The CPU time and the memory that the control groups of this process allow, mostly in containers.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tutti::base {

/// The CPU time that this process's control group and those above it grant, in cores: 1.5 for a quota of 150
/// ms every 100 ms. Reads versions 1 and 2. Empty when there is no limit. `root` stands for "/" (tests pass a
/// folder).
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

/// What may still be taken of a limited memory, with what the kernel can drop from its caches.
struct MemoryRoom {
    std::uint64_t free_bytes = 0;
    std::uint64_t limit_bytes = 0;
    std::string owner{};  // "memory group /a/b", "this machine"

    auto operator<=>(const MemoryRoom&) const = default;
};

/// The room of the machine or of the control group, this process's or one above it, whichever has the least.
/// Empty when the system does not say.
std::optional<MemoryRoom> memory_room(const std::filesystem::path& root = "/");

/// How many processes of this process's control group the kernel has killed for want of memory, or, without such a
/// group, how many of the machine. Empty when the system does not tell.
std::optional<std::uint64_t> out_of_memory_kills(const std::filesystem::path& root = "/");

}  // namespace tutti::base
