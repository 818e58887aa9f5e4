// What the engine itself needs from the library under test, to decide together and to gather times. A backend
// for collectives alone has only this and its operations.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutti::bench {

using Bytes = std::span<std::byte>;
using ConstBytes = std::span<const std::byte>;

/// Where buffers come from. allocate() answers nullptr where there is no more.
struct Memory {
    void* (*allocate)(std::size_t size_bytes);
    void (*release)(void* memory);
};

/// The job does not suit the benchmark. All ranks throw it, so none is left waiting.
struct UnsuitableJob : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <class B>
concept Job = requires(B& job, Bytes in, ConstBytes out)
{
    {
        B::library()
        } -> std::convertible_to<std::string>;
    {
        job.rank()
        } -> std::same_as<int>;
    {
        job.size()
        } -> std::same_as<int>;
    job.barrier();
    job.broadcast(in, 0);
    // Blocks of equal size, a rank each, in the order of ranks.
    job.allgather(out, in);
};

/// Rank 0's value, at all ranks.
template <Job B, class T>
T shared(B& job, T value)
{
    job.broadcast(std::as_writable_bytes(std::span(&value, 1)), 0);
    return value;
}

/// The values of all ranks, one rank's after the other's, at all ranks. Every rank gives equally many.
template <Job B, class T>
std::vector<T> gathered(B& job, std::span<const T> own)
{
    std::vector<T> all(own.size() * static_cast<std::size_t>(job.size()));
    if (!all.empty())
        job.allgather(std::as_bytes(own), std::as_writable_bytes(std::span(all)));
    return all;
}

}  // namespace tutti::bench
