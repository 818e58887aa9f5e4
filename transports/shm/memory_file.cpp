#include "transports/shm/memory_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "tutti/error.hpp"

namespace tutti::transport::shm {

namespace {

// A mapping can split others, and the file that lists them is read while they change.
constexpr std::size_t kMapsToSpare = 16;

[[noreturn]] void fail(std::string_view what, std::string_view call, int error, std::string_view remedy)
{
    if (error == EPERM || error == ENOSYS)
        throw Error(ErrorCode::system, "shared memory",
                    fmt::format("{}: {}; a filter (seccomp), of a container or a service, has to allow {}", what,
                                std::strerror(error), call));
    const bool memory = error == ENOMEM || error == ENOSPC || error == EMFILE || error == ENFILE;
    throw Error(memory ? ErrorCode::out_of_memory : ErrorCode::system, "shared memory",
                fmt::format("{}: {}; {}", what, std::strerror(error), remedy));
}

// Beyond the file size limit ftruncate() sends SIGXFSZ, which kills. So the limit is checked first.
bool within_file_limit(std::size_t bytes) noexcept
{
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

[[noreturn]] void fail_to_allocate(std::size_t bytes, int error)
{
    fail(fmt::format("cannot allocate {} KiB", bytes >> 10), "fallocate", error,
         "start fewer ranks on this node or raise its (cgroup's) memory limit");
}

// Allocates missing pages. False when that fails, or when the kernel does not support it.
bool populate_for_writing([[maybe_unused]] std::byte* start, [[maybe_unused]] std::size_t bytes) noexcept
{
#ifdef MADV_POPULATE_WRITE
    int result = 0;
    do {
        result = madvise(start, bytes, MADV_POPULATE_WRITE);
    } while (result != 0 && (errno == EINTR || errno == EAGAIN));
    return result == 0;
#else
    return false;
#endif
}

std::size_t lines_of(const char* path)
{
    std::ifstream file(path);
    return static_cast<std::size_t>(
        std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n'));
}

// mmap() returns ENOMEM for both limits.
std::string remedy_of_mapping(int error)
{
    std::size_t most = 0;
    std::ifstream("/proc/sys/vm/max_map_count") >> most;
    const std::size_t maps = error == ENOMEM ? lines_of("/proc/self/maps") : 0;
    if (most != 0 && maps + kMapsToSpare >= most)
        return fmt::format(
            "this process has {} mappings, and the kernel allows no more: raise vm.max_map_count "
            "(sysctl), or keep fewer communicators",
            maps);
    return "raise the address space limit (ulimit -v)";
}

}  // namespace

std::uint64_t new_nonce() noexcept
{
    std::uint64_t nonce = 0;
    if (getrandom(&nonce, sizeof nonce, 0) != sizeof nonce)
        nonce = static_cast<std::uint64_t>(getpid()) << 32 ^ reinterpret_cast<std::uintptr_t>(&nonce);
    return nonce;
}

MemoryFile MemoryFile::create(const char* name, std::size_t bytes)
{
    MemoryFile file;
    file.descriptor_ = memfd_create(name, MFD_CLOEXEC);
    if (file.descriptor_ < 0)
        fail("cannot create a memory file", "memfd_create", errno, "raise the open-file limit (ulimit -n)");
    const bool fits = within_file_limit(bytes);
    if (!fits || ftruncate(file.descriptor_, static_cast<off_t>(bytes)) != 0)
        fail("cannot size a memory file", "ftruncate", fits ? errno : EFBIG, "raise the file size limit (ulimit -f)");
    return file;
}

MemoryFile MemoryFile::open(const LocalProcess& owner, int descriptor, std::size_t bytes,
                            DescriptorExchange* exchange)
{
    MemoryFile file = open(owner, descriptor, exchange);
    if (file.size_bytes() != bytes)
        throw Error(ErrorCode::peer_lost, "shared memory",
                    fmt::format("descriptor {} of process {} is not the memory that it announced", descriptor,
                                owner.pid));
    return file;
}

MemoryFile MemoryFile::open(const LocalProcess& owner, int descriptor, DescriptorExchange* exchange)
{
    MemoryFile file;
    file.descriptor_ = owner.open(descriptor, O_RDWR, exchange).release();
    return file;
}

MemoryFile MemoryFile::take(base::UniqueFd received, std::size_t bytes)
{
    MemoryFile file;
    file.descriptor_ = received.release();
    if (file.size_bytes() != bytes)
        throw Error(ErrorCode::system, "shared memory", "the memory that was received is none of the expected size");
    return file;
}

std::size_t MemoryFile::size_bytes() const noexcept
{
    struct stat status {};
    return fstat(descriptor_, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), map_(std::move(other.map_))
{
}

MemoryFile& MemoryFile::operator=(MemoryFile&& other) noexcept
{
    std::swap(descriptor_, other.descriptor_);
    std::swap(map_, other.map_);
    return *this;
}

MemoryFile::~MemoryFile()
{
    close_descriptor();
}

void MemoryFile::allocate(std::size_t offset, std::size_t bytes) const
{
    int error = 0;
    do {
        error = posix_fallocate(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes));
    } while (error == EINTR);
    if (error != 0)
        fail_to_allocate(bytes, error);
}

void MemoryFile::map(std::size_t bytes)
{
    map_ = MemoryMap(*this, 0, bytes);
}

MemoryMap::MemoryMap(const MemoryFile& file, std::size_t offset, std::size_t bytes)
{
    void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.descriptor(),
                      static_cast<off_t>(offset));
    if (base == MAP_FAILED)
        fail(fmt::format("cannot map {} KiB", bytes >> 10), "mmap", errno, remedy_of_mapping(errno));
    base_ = static_cast<std::byte*>(base);
    bytes_ = bytes;
    // The system would allocate pages for the whole of it to write a core file.
    madvise(base, bytes, MADV_DONTDUMP);
}

MemoryMap::MemoryMap(MemoryMap&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), bytes_(other.bytes_)
{
}

MemoryMap& MemoryMap::operator=(MemoryMap&& other) noexcept
{
    std::swap(base_, other.base_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

MemoryMap::~MemoryMap()
{
    if (base_ != nullptr)
        munmap(base_, bytes_);
}

void MemoryMap::populate(std::size_t offset, std::size_t bytes) const noexcept
{
    static_cast<void>(populate_for_writing(base_ + offset, bytes));
}

void MemoryMap::allocate(std::size_t offset, std::size_t bytes) const
{
    if (!populate_for_writing(base_ + offset, bytes))
        fail_to_allocate(bytes, ENOMEM);
}

bool MemoryMap::can_allocate() noexcept
{
    static const bool can = populate_for_writing(nullptr, 0);
    return can;
}

void MemoryFile::close_descriptor() noexcept
{
    if (descriptor_ >= 0)
        close(std::exchange(descriptor_, -1));
}

}  // namespace tutti::transport::shm
