// The programs of this folder, whose ranks are processes: their data, and the checks of all ranks. All are in
// one executable, so that what they include is compiled once.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "tests/expect.hpp"

namespace tutti::test {

/// What runs under the name of api_NAME. One an object of static storage: they find each other before main.
struct Program {
    using Main = int(int argc, char** argv);

    Program(std::string_view its_name, Main* its_main) noexcept : name(its_name), main(its_main), next(first)
    {
        first = this;
    }

    static inline const Program* first = nullptr;

    std::string_view name;
    Main* main;
    const Program* next;
};

/// Byte `index` of message `number` from `sender`.
inline std::byte byte_of(int sender, std::size_t number, std::size_t index)
{
    return static_cast<std::byte>(static_cast<std::size_t>(sender) * 37 + number * 11 + index * 5 +
                                  (index >> 8) + (index >> 16));
}

inline std::vector<std::byte> bytes(int sender, std::size_t number, std::size_t size)
{
    std::vector<std::byte> data(size);
    for (std::size_t i = 0; i < size; ++i)
        data[i] = byte_of(sender, number, i);
    return data;
}

}  // namespace tutti::test
