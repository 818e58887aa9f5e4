#include "lib/foundation/observe/status_page.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace tutti::observe {

namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

// Beyond the limit of file sizes ftruncate() sends a signal.
bool may_be_a_file() noexcept
{
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= sizeof(StatusPage);
}

base::UniqueFd make_file() noexcept
{
    base::UniqueFd file(memfd_create("tutti-status", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    // Sealed, so that the daemon never reads beyond the end of the file.
    if (!file || ftruncate(file.get(), sizeof(StatusPage)) != 0 ||
        fcntl(file.get(), F_ADD_SEALS, kSeals) != 0)
        file.reset();
    return file;
}

}  // namespace

void StatusCount::move(std::uint64_t size_bytes) noexcept
{
    const std::uint64_t latest = recent.load(std::memory_order_relaxed);
    recent.store(kMoving, std::memory_order_relaxed);
    // Release: whoever sees a total of this move sees kMoving; whoever sees its end sees both totals.
    std::atomic_thread_fence(std::memory_order_release);
    add_to(messages, (latest >> kBytesBits) + 1);
    add_to(bytes, (latest & ((std::uint64_t{1} << kBytesBits) - 1)) + size_bytes);
    recent.store(0, std::memory_order_release);
}

StatusCount::Values StatusCount::load() const noexcept
{
    constexpr int kTries = 4;
    Values values;
    std::uint64_t latest = 0;
    for (int i = 0; i < kTries; ++i) {
        latest = recent.load(std::memory_order_acquire);
        values = {messages.load(std::memory_order_relaxed), bytes.load(std::memory_order_relaxed)};
        std::atomic_thread_fence(std::memory_order_acquire);  // pairs with that of move()
        const std::uint64_t after = recent.load(std::memory_order_relaxed);
        if (after >= latest && (after & kMoving) == 0)
            break;
    }
    if ((latest & kMoving) != 0)
        return values;
    return {values.messages + (latest >> kBytesBits),
            values.bytes + (latest & ((std::uint64_t{1} << kBytesBits) - 1))};
}

StatusMemory StatusMemory::create()
{
    StatusMemory memory;
    if (may_be_a_file())
        memory.descriptor_ = make_file();
    const int file = memory.descriptor_.get();
    void* mapped = file < 0 ? MAP_FAILED
                            : mmap(nullptr, sizeof(StatusPage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) {
        memory.descriptor_.reset();
        mapped =
            mmap(nullptr, sizeof(StatusPage), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    if (mapped == MAP_FAILED)
        throw std::bad_alloc();
    memory.page_ = static_cast<StatusPage*>(mapped);  // all zero
    memory->pid.store(static_cast<std::uint64_t>(getpid()), std::memory_order_relaxed);
    memory->size_bytes.store(sizeof(StatusPage), std::memory_order_relaxed);
    memory->magic.store(StatusPage::kMagic, std::memory_order_release);
    return memory;
}

StatusMemory StatusMemory::open(base::UniqueFd descriptor) noexcept
{
    StatusMemory memory;
    struct stat status {};
    const int seals = descriptor ? fcntl(descriptor.get(), F_GET_SEALS) : -1;
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(descriptor.get(), &status) != 0 ||
        static_cast<std::size_t>(status.st_size) != sizeof(StatusPage))
        return memory;
    void* const mapped = mmap(nullptr, sizeof(StatusPage), PROT_READ, MAP_SHARED, descriptor.get(), 0);
    if (mapped == MAP_FAILED)
        return memory;
    memory.page_ = static_cast<StatusPage*>(mapped);
    if (memory->magic.load(std::memory_order_acquire) != StatusPage::kMagic ||
        memory->size_bytes.load(std::memory_order_relaxed) != sizeof(StatusPage))
        return {};
    return memory;
}

StatusMemory& StatusMemory::operator=(StatusMemory&& other) noexcept
{
    std::swap(page_, other.page_);
    descriptor_ = std::move(other.descriptor_);
    return *this;
}

StatusMemory::~StatusMemory()
{
    if (page_ != nullptr)
        munmap(page_, sizeof(StatusPage));
}

void store_text(StatusWord* words, std::size_t bytes, std::string_view text) noexcept
{
    text = text.substr(0, bytes - 1);
    for (std::size_t start = 0; start < bytes; start += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        if (start < text.size())
            std::memcpy(&word, text.data() + start, std::min(sizeof word, text.size() - start));
        words[start / sizeof word].store(word, std::memory_order_relaxed);
    }
}

}  // namespace tutti::observe
