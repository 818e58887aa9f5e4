// Two processes that share memory, each on a core of its own: the stage of every probe.
#pragma once

#include <immintrin.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <new>
#include <span>
#include <utility>

namespace tutti::bench {

/// The first two cores that this process may use. Throws std::runtime_error when there is one only.
std::pair<int, int> two_cores();

/// Binds the calling process to one core.
void bind_to_core(int core);

/// Zeroed memory that forked processes share, gone with the last of them.
class SharedMemory {
public:
    explicit SharedMemory(std::size_t size_bytes);
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;
    ~SharedMemory();

    std::span<std::byte> bytes() { return {data_, size_bytes_}; }
    /// A T in zeroed shared memory, at this distance from its start.
    template <class T>
    T* make(std::size_t offset_bytes = 0)
    {
        return new (data_ + offset_bytes) T;
    }

private:
    std::byte* data_;
    std::size_t size_bytes_;
};

/// Runs `other` in a child process on `other_core`, and `self` here on `own_core`, at the same time; returns
/// what `self` returns, after the child has ended. The caller's binding is put back. Should the child die
/// early, this process ends, saying so: `self` could wait for it for ever.
double with_child(int own_core, int other_core, const std::function<double()>& self,
                  const std::function<void()>& other);

/// Waits actively until `done()`.
template <class Done>
void spin_until(Done done)
{
    while (!done())
        _mm_pause();
}

/// Alone in its cache line.
struct alignas(64) Line {
    std::atomic<unsigned> value{0};
};

}  // namespace tutti::bench
