// What a core file of this process would have.
#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

namespace tutti::test {

/// Whether the mapping with `address` is in core files, as /proc/self/smaps says; also false where nothing is
/// mapped.
inline bool is_in_core_files(const void* address)
{
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    std::ifstream maps("/proc/self/smaps");
    bool is_there = false;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t from = 0;
        std::uintptr_t to = 0;
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2)
            is_there = from <= wanted && wanted < to;
        else if (is_there && line.starts_with("VmFlags:"))
            return line.find(" dd") == std::string::npos;
    }
    return false;
}

}  // namespace tutti::test
