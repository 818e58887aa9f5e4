#include "lib/heap/process_fork.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <limits>

#include "lib/heap/heap.hpp"
#include "lib/heap/report.hpp"
#include "lib/heap/state.hpp"

namespace tutti::heap {

namespace {

using detail::Guard;
using detail::state;

constexpr int kOrdinary = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

// Bytes copied between two looks at the memory that is left: other ranks may make children, too.
constexpr std::size_t kPart = std::size_t{16} << 20;
// Fewer are copied without a look.
constexpr std::size_t kLittle = std::size_t{1} << 20;
// A child's shorter freed blocks keep their pages.
constexpr std::size_t kGiveBackFrom = 32u << 10;

constexpr long kLongestWaitMs = 1000;

ino_t file;
constinit std::atomic<std::uint64_t (*)() noexcept> room{nullptr};

// A page that parent and child share. The child has ended or has started a program once nobody has the page
// mapped: then its file can be sealed. A pipe would show its end too early, as programs close descriptors
// that they do not know before they start another.
class SharedPage {
public:
    void open() noexcept
    {
        file_ = memfd_create("tutti-child", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (file_ < 0)
            return;
        memory_ = ftruncate(file_, kPage) == 0
                      ? mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0)
                      : MAP_FAILED;
        if (memory_ == MAP_FAILED)
            close();
    }
    bool is_open() const noexcept { return file_ >= 0; }
    void unmap() noexcept { munmap(memory_, kPage); }
    bool is_mapped() const noexcept { return fcntl(file_, F_ADD_SEALS, F_SEAL_WRITE) != 0 && errno == EBUSY; }
    // The child's children do not get the page.
    void keep_for_this_process() noexcept { madvise(memory_, kPage, MADV_DONTFORK); }
    void close() noexcept
    {
        ::close(file_);
        file_ = -1;
    }

private:
    int file_ = -1;
    void* memory_ = nullptr;
};

// State of the child that this thread makes.
struct Making {
    bool is_on = false;
    bool says_it = false;
    std::byte* copy = nullptr;  // nullptr: the child is lent the parent's pages
    std::size_t copy_bytes = 0;
    std::uint64_t wanted_bytes = 0;
    std::uint64_t left_bytes = 0;
    SharedPage page;
};
constinit thread_local Making making;

// Whether the segment's descriptor is open: the program may have closed it and reused the number.
bool has_descriptor() noexcept
{
    struct stat status {};
    return fstat(state.segment.descriptor, &status) == 0 && status.st_ino == file;
}

// The next offset in the file that holds data, or a hole; without the descriptor everything may hold data.
std::size_t find(std::size_t from, int what, bool has_file) noexcept
{
    if (!has_file)
        return what == SEEK_DATA ? from : making.copy_bytes;
    const off_t found = lseek(state.segment.descriptor, static_cast<off_t>(from), what);
    return found < 0 ? making.copy_bytes : std::min(static_cast<std::size_t>(found), making.copy_bytes);
}

// Whether there is memory for the rest of the copy, and for what the child writes beside it.
bool has_room(std::uint64_t bytes) noexcept
{
    const auto ask = room.load(std::memory_order_relaxed);
    making.left_bytes = ask != nullptr ? ask() : std::numeric_limits<std::uint64_t>::max();
    return bytes + bytes / 8 <= making.left_bytes;
}

std::uint64_t held_bytes(bool has_file) noexcept
{
    constexpr std::uint64_t kStatBlock = 512;
    struct stat status {};
    return has_file && fstat(state.segment.descriptor, &status) == 0
               ? static_cast<std::uint64_t>(status.st_blocks) * kStatBlock
               : making.copy_bytes;
}

// False when memory ends: then the child is lent the file.
bool copy_data(bool has_file) noexcept
{
    const auto* const base = static_cast<const std::byte*>(state.segment.base);
    std::uint64_t left = making.wanted_bytes;
    std::size_t since_look = kPart;
    std::size_t end = 0;
    for (std::size_t from = find(0, SEEK_DATA, has_file); from < making.copy_bytes;
         from = end < making.copy_bytes ? find(end, SEEK_DATA, has_file) : end) {
        if (since_look >= kPart && has_file && left > kLittle) {
            if (!has_room(left))
                return false;
            since_look = 0;
        }
        end = std::min(find(from, SEEK_HOLE, has_file), from + kPart);
        std::memcpy(making.copy + from, base + from, end - from);
        since_look += end - from;
        left -= std::min<std::uint64_t>(left, end - from);
    }
    return true;
}

void copy_heap() noexcept
{
    const bool has_file = has_descriptor();
    {
        const Guard guard(state.mutex);
        making.copy_bytes = round_up(
            static_cast<std::size_t>(state.blocks.top() - static_cast<std::byte*>(state.segment.base)),
            kPage);
    }
    making.wanted_bytes = held_bytes(has_file);
    void* const memory = mmap(nullptr, making.copy_bytes, PROT_READ | PROT_WRITE, kOrdinary, -1, 0);
    if (memory == MAP_FAILED)
        return;
    making.copy = static_cast<std::byte*>(memory);
    if (copy_data(has_file))
        return;
    munmap(making.copy, making.copy_bytes);
    making.copy = nullptr;
}

bool wait_for_child() noexcept
{
    timespec pause{0, 50'000};
    timespec begin{};
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (making.page.is_mapped()) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1'000'000 > kLongestWaitMs)
            return false;
        nanosleep(&pause, nullptr);
        pause.tv_nsec = std::min(2 * pause.tv_nsec, 5'000'000L);
    }
    return true;
}

void before_fork() noexcept
{
    before_child(Child::copies);
}

}  // namespace

void ask_for_room(std::uint64_t (*function)() noexcept) noexcept
{
    room.store(function, std::memory_order_relaxed);
}

void before_child(Child kind) noexcept
{
    if (!is_serving())
        return;
    const int error = errno;
    making = {};
    making.is_on = true;
    making.says_it = kind == Child::copies;
    if (kind == Child::copies)
        copy_heap();
    if (making.copy == nullptr)
        making.page.open();
    errno = error;
}

void in_parent() noexcept
{
    if (!making.is_on)
        return;
    const int error = errno;
    making.is_on = false;
    if (making.copy != nullptr)
        munmap(making.copy, making.copy_bytes);
    if (making.page.is_open()) {
        making.page.unmap();
        const bool has_gone = wait_for_child();
        making.page.close();
        static constinit std::atomic<bool> is_said{false};
        if (!has_gone && making.says_it && !is_said.exchange(true))
            say_lent(making.wanted_bytes, making.left_bytes);
    }
    errno = error;
}

void in_child() noexcept
{
    if (!making.is_on)
        return;
    const int error = errno;
    making.is_on = false;
    const auto& [base, bytes, descriptor] = state.segment;
    const bool has_file = has_descriptor();
    const bool is_lent = making.copy == nullptr && has_file;
    if (is_lent)
        mmap(base, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, descriptor, 0);
    else
        mmap(base, bytes, PROT_READ | PROT_WRITE, kOrdinary | MAP_FIXED, -1, 0);
    if (making.copy != nullptr)
        mremap(making.copy, making.copy_bytes, making.copy_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, base);
    if (has_file)
        close(descriptor);  // or the parent's memory would live as long as the child
    if (making.page.is_open()) {
        making.page.keep_for_this_process();
        making.page.close();
    }
    state.is_lent = is_lent;
    state.mutex = PTHREAD_MUTEX_INITIALIZER;  // another thread of the parent may have held it
    detail::is_serving.store(false, std::memory_order_relaxed);
    ThreadCache::mine().end_in_child();
    errno = error;
}

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

// Headers of lent blocks may be changed by the parent.
void release_in_child(Block* block) noexcept
{
    if (state.is_lent)
        return;
    block->become(Block::free);
    const auto unit = static_cast<std::uintptr_t>(kPage);
    const std::uintptr_t from = round_up(reinterpret_cast<std::uintptr_t>(block->data()), unit);
    const std::uintptr_t to = reinterpret_cast<std::uintptr_t>(block->end()) / unit * unit;
    if (to < from + kGiveBackFrom)
        return;
    const int error = errno;
    madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
    errno = error;
}

bool is_lent() noexcept
{
    return state.is_lent;
}

int clear_lent_pages(void* from, std::size_t bytes) noexcept
{
    if (reinterpret_cast<std::uintptr_t>(from) % kPage != 0) {
        errno = EINVAL;
        return -1;
    }
    bytes = round_up(bytes, kPage);
    return mmap(from, bytes, PROT_READ | PROT_WRITE, kOrdinary | MAP_FIXED, -1, 0) == from ? 0 : -1;
}

}  // namespace tutti::heap
