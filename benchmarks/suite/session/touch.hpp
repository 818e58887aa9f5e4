// What --touch adds to a step: programs write what they send and read what they have received.
#pragma once

#include <cstddef>

#include "benchmarks/suite/library/page_buffers.hpp"

namespace tutti::bench {

inline constexpr std::size_t kLineBytes = 64;

/// Contents stay; every cache line is then modified, and this core's.
inline void write_lines(Bytes data)
{
    for (std::size_t i = 0; i < data.size(); i += kLineBytes) {
        volatile std::byte& line = data[i];
        line = static_cast<std::byte>(line);
    }
}

/// Every cache line is fetched.
inline void read_lines(Bytes data)
{
    for (std::size_t i = 0; i < data.size(); i += kLineBytes)
        static_cast<void>(static_cast<std::byte>(static_cast<volatile std::byte&>(data[i])));
}

/// The step, and around it, if `wanted`, what a program does with the places that it sends from and receives
/// into.
template <class Step>
auto touching(bool wanted, MessagePlaces out, MessagePlaces in, Step step)
{
    return [=]() mutable {
        for (std::size_t i = 0; wanted && i < out.count(); ++i)
            write_lines(out[i]);
        step();
        for (std::size_t i = 0; wanted && i < in.count(); ++i)
            read_lines(in[i]);
    };
}

}  // namespace tutti::bench
