#include "lib/heap/process_fork.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lib/heap/heap.hpp"
#include "lib/heap/state.hpp"

namespace tutti::heap {

namespace {

using detail::state;

constexpr int kOrdinary = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

ino_t file;
bool is_ordinary = false;  // a forked child's: the next fork copies it as all memory
std::byte* copy = nullptr;
std::size_t copy_bytes = 0;

// The program may have closed it and opened another file of that number.
bool has_descriptor() noexcept
{
    struct stat status {};
    return fstat(state.segment.descriptor, &status) == 0 && status.st_ino == file;
}

// The next offset in the file that holds data, or a hole; without the descriptor everything may hold data.
std::size_t find(std::size_t from, int what, bool has_file) noexcept
{
    if (!has_file)
        return what == SEEK_DATA ? from : copy_bytes;
    const off_t found = lseek(state.segment.descriptor, static_cast<off_t>(from), what);
    return found < 0 ? copy_bytes : std::min(static_cast<std::size_t>(found), copy_bytes);
}

void copy_heap() noexcept
{
    const auto* const base = static_cast<const std::byte*>(state.segment.base);
    copy_bytes = round_up(static_cast<std::size_t>(state.blocks.top() - base), kPage);
    void* const memory = mmap(nullptr, copy_bytes, PROT_READ | PROT_WRITE, kOrdinary, -1, 0);
    if (memory == MAP_FAILED)
        return;
    copy = static_cast<std::byte*>(memory);
    const bool has_file = has_descriptor();
    std::size_t end = 0;
    for (std::size_t from = find(0, SEEK_DATA, has_file); from < copy_bytes;
         from = end < copy_bytes ? find(end, SEEK_DATA, has_file) : copy_bytes) {
        end = find(from, SEEK_HOLE, has_file);
        std::memcpy(copy + from, base + from, end - from);
    }
}

void before_fork() noexcept
{
    if (!is_open())
        return;
    pthread_mutex_lock(&state.mutex);
    const int error = errno;
    if (!is_ordinary)
        copy_heap();
    errno = error;
}

void in_parent() noexcept
{
    if (!is_open())
        return;
    const int error = errno;
    if (copy != nullptr)
        munmap(copy, copy_bytes);
    copy = nullptr;
    errno = error;
    pthread_mutex_unlock(&state.mutex);
}

// Without a copy, for want of addresses, the child sees the parent's pages until it writes to them.
void in_child() noexcept
{
    if (!is_open())
        return;
    const int error = errno;
    const auto& [base, bytes, descriptor] = state.segment;
    if (!is_ordinary) {
        const bool has_file = has_descriptor();
        const bool is_copied = copy != nullptr;
        if (is_copied || !has_file)
            mmap(base, bytes, PROT_READ | PROT_WRITE, kOrdinary | MAP_FIXED, -1, 0);
        else
            mmap(base, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, descriptor, 0);
        if (is_copied)
            mremap(copy, copy_bytes, copy_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, base);
        if (has_file)
            close(descriptor);  // or the parent's memory would live as long as the child
        state.advice = is_copied ? MADV_DONTNEED : 0;
        copy = nullptr;
        is_ordinary = true;
    }
    errno = error;
    pthread_mutex_unlock(&state.mutex);
}

}  // namespace

void watch_forks() noexcept
{
    pthread_atfork(before_fork, in_parent, in_child);
}

bool remember_file() noexcept
{
    struct stat status {};
    if (fstat(state.segment.descriptor, &status) != 0)
        return false;
    file = status.st_ino;
    return true;
}

}  // namespace tutti::heap
