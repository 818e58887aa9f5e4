#include "lib/foundation/observe/profile_page.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace tutti::observe {

namespace {

constexpr int kProfileSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
constexpr std::size_t kTableAlignment = 64;
constexpr std::size_t kHeaderBytes =
    (sizeof(ProfileHeader) + kTableAlignment - 1) / kTableAlignment * kTableAlignment;

constexpr std::size_t bytes_for(std::size_t peers, std::size_t events) noexcept
{
    return kHeaderBytes + ProfileHeader::kAggregates * sizeof(ProfileAggregate) +
           (peers + 1) * sizeof(ProfilePeer) + events * (sizeof(ProfileEvent) + sizeof(ProfileMessage));
}

// Beyond the limit of file sizes ftruncate() sends a signal.
bool may_have(std::size_t bytes) noexcept
{
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= bytes;
}

template <class Entry>
std::span<Entry> table_at(std::byte*& place, std::size_t count) noexcept
{
    auto* const first = reinterpret_cast<Entry*>(place);
    place += count * sizeof(Entry);
    return {first, count};
}

}  // namespace

void ProfileMemory::set_tables(std::size_t peers, std::size_t events) noexcept
{
    std::byte* place = bytes_ + kHeaderBytes;
    aggregates_ = table_at<ProfileAggregate>(place, ProfileHeader::kAggregates);
    peers_ = table_at<ProfilePeer>(place, peers + 1);
    events_ = table_at<ProfileEvent>(place, events);
    messages_ = table_at<ProfileMessage>(place, events);
}

ProfileMemory ProfileMemory::create(std::size_t ranks, std::size_t events) noexcept
{
    const std::size_t peers = std::min(ranks, ProfileHeader::kMostPeers);
    events = std::min(events, ProfileHeader::kMostEvents);
    const std::size_t size = bytes_for(peers, events);
    ProfileMemory memory;
    if (!may_have(size))
        return memory;
    memory.descriptor_ = base::UniqueFd(memfd_create("tutti-profile", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    // Sealed, so that the daemon never reads beyond the end of the file.
    const int file = memory.descriptor_.get();
    if (file < 0 || ftruncate(file, static_cast<off_t>(size)) != 0 ||
        fcntl(file, F_ADD_SEALS, kProfileSeals) != 0)
        return {};
    void* const mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED)
        return {};
    memory.bytes_ = static_cast<std::byte*>(mapped);  // all zero
    memory.size_bytes_ = size;
    memory.set_tables(peers, events);
    memory->pid.store(static_cast<std::uint64_t>(getpid()), std::memory_order_relaxed);
    memory->peers.store(peers, std::memory_order_relaxed);
    memory->events.store(events, std::memory_order_relaxed);
    memory->size_bytes.store(size, std::memory_order_relaxed);
    memory->magic.store(ProfileHeader::kMagic, std::memory_order_release);
    return memory;
}

ProfileMemory ProfileMemory::open(base::UniqueFd descriptor) noexcept
{
    ProfileMemory memory;
    struct stat status {};
    const int seals = descriptor ? fcntl(descriptor.get(), F_GET_SEALS) : -1;
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(descriptor.get(), &status) != 0)
        return memory;
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size < bytes_for(0, 0) || size > bytes_for(ProfileHeader::kMostPeers, ProfileHeader::kMostEvents))
        return memory;
    void* const mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor.get(), 0);
    if (mapped == MAP_FAILED)
        return memory;
    memory.bytes_ = static_cast<std::byte*>(mapped);
    memory.size_bytes_ = size;
    if (memory->magic.load(std::memory_order_acquire) != ProfileHeader::kMagic)
        return {};
    const std::uint64_t peers = memory->peers.load(std::memory_order_relaxed);
    const std::uint64_t events = memory->events.load(std::memory_order_relaxed);
    if (peers > ProfileHeader::kMostPeers || events > ProfileHeader::kMostEvents ||
        size != bytes_for(peers, events))
        return {};
    memory.set_tables(peers, events);
    return memory;
}

ProfileMemory& ProfileMemory::operator=(ProfileMemory&& other) noexcept
{
    std::swap(bytes_, other.bytes_);
    std::swap(size_bytes_, other.size_bytes_);
    std::swap(aggregates_, other.aggregates_);
    std::swap(peers_, other.peers_);
    std::swap(events_, other.events_);
    std::swap(messages_, other.messages_);
    descriptor_ = std::move(other.descriptor_);
    return *this;
}

ProfileMemory::~ProfileMemory()
{
    if (bytes_ != nullptr)
        munmap(bytes_, size_bytes_);
}

}  // namespace tutti::observe
