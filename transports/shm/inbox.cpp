#include "transports/shm/inbox.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <new>
#include <string>
#include <utility>

#include "lib/base/futex.hpp"
#include "tutti/error.hpp"

namespace tutti::transport::shm {

namespace {

constexpr std::uint64_t kMagic = 0x31306d6873747574;  // "tutshm01": changes with the layout
constexpr std::size_t kPage = 4096;
constexpr std::size_t kHeaderBytes = (sizeof(InboxHeader) + kLine - 1) / kLine * kLine;

// A rank's rings share this much: large enough that a pipeline of two copies runs at full speed among a few
// ranks, small enough that many ranks that all talk to all stay within a gigabyte.
constexpr std::size_t kInboxBytes = 4u << 20;
constexpr std::size_t kSmallestRing = 32u << 10;
constexpr std::size_t kLargestRing = 256u << 10;

constexpr std::size_t round_to_page(std::size_t bytes)
{
    return (bytes + kPage - 1) / kPage * kPage;
}

std::size_t rings_start(std::uint32_t rings)
{
    return round_to_page(kHeaderBytes + rings * sizeof(RingSlot));
}

std::uint64_t this_host() noexcept
{
    static const std::uint64_t hash = [] {
        std::string identity;
        std::ifstream("/proc/sys/kernel/random/boot_id") >> identity;
        struct stat pid_namespace {};
        if (stat("/proc/self/ns/pid", &pid_namespace) == 0)
            identity += fmt::format("/{}", pid_namespace.st_ino);
        return static_cast<std::uint64_t>(std::hash<std::string>{}(identity));
    }();
    return hash;
}

[[noreturn]] void fail(std::string_view what, int error, std::string_view remedy)
{
    const bool memory = error == ENOMEM || error == ENOSPC || error == EMFILE || error == ENFILE;
    throw Error(memory ? ErrorCode::out_of_memory : ErrorCode::system, "shared memory",
                fmt::format("{}: {}{}{}", what, std::strerror(error), remedy.empty() ? "" : "; ", remedy));
}

void allocate(int descriptor, std::size_t offset, std::size_t bytes)
{
    int error = 0;
    do {
        error = posix_fallocate(descriptor, static_cast<off_t>(offset), static_cast<off_t>(bytes));
    } while (error == EINTR);
    if (error != 0)
        fail(fmt::format("cannot allocate {} KiB", bytes >> 10), error,
             "start fewer ranks on this node or raise its (cgroup's) memory limit");
}

// Beyond the file size limit ftruncate() answers with SIGXFSZ, which kills: look first.
bool within_file_limit(std::size_t bytes) noexcept
{
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

std::byte* map(int descriptor, std::size_t bytes)
{
    void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    if (base == MAP_FAILED)
        fail(fmt::format("cannot map {} KiB", bytes >> 10), errno,
             "raise the address space limit (ulimit -v)");
    return static_cast<std::byte*>(base);
}

// Registered once a process; what it answers decides who pays for the barrier.
bool can_membarrier() noexcept
{
    static const bool registered = base::membarrier_register();
    return registered;
}

}  // namespace

std::optional<InboxCard> InboxCard::parse(std::span<const std::byte> bytes) noexcept
{
    InboxCard card{};
    if (bytes.size() != sizeof card)
        return std::nullopt;
    std::memcpy(&card, bytes.data(), sizeof card);
    const bool sane = card.magic == kMagic && card.rings > 0 && card.local_rank < card.rings &&
                      std::has_single_bit(card.ring_bytes) && card.ring_bytes >= kSmallestRing &&
                      card.ring_bytes <= kLargestRing;
    return sane ? std::optional(card) : std::nullopt;
}

bool InboxCard::here() const noexcept
{
    return host == this_host();
}

Inbox Inbox::create(std::uint32_t rings, std::uint32_t local_rank, bool peers_must_fence)
{
    InboxCard card{};
    card.magic = kMagic;
    card.host = this_host();
    card.pid = getpid();
    card.rings = rings;
    card.local_rank = local_rank;
    card.ring_bytes = std::clamp(std::bit_floor(kInboxBytes / rings), kSmallestRing, kLargestRing);
    if (getrandom(&card.nonce, sizeof card.nonce, 0) != sizeof card.nonce)
        card.nonce = static_cast<std::uint64_t>(getpid()) << 32 ^ reinterpret_cast<std::uintptr_t>(&card);

    card.descriptor = memfd_create("tutti-inbox", MFD_CLOEXEC);
    if (card.descriptor < 0)
        fail("cannot create a memory file", errno, "raise the open-file limit (ulimit -n)");
    const std::size_t bytes = rings_start(rings) + rings * card.ring_bytes;
    const bool fits = within_file_limit(bytes);
    if (!fits || ftruncate(card.descriptor, static_cast<off_t>(bytes)) != 0) {
        const int error = fits ? errno : EFBIG;
        close(card.descriptor);
        fail("cannot size a memory file", error, "raise the file size limit (ulimit -f)");
    }
    try {
        allocate(card.descriptor, 0, rings_start(rings));
        Inbox inbox(card, card.descriptor, map(card.descriptor, bytes), bytes);
        inbox.header().nonce = card.nonce;
        inbox.header().peers_must_fence = peers_must_fence || !can_membarrier() ? 1 : 0;
        inbox.header().magic = kMagic;
        return inbox;
    } catch (...) {
        close(card.descriptor);
        throw;
    }
}

Inbox Inbox::open(const InboxCard& card, std::optional<std::uint32_t> ring)
{
    const std::string path = fmt::format("/proc/{}/fd/{}", card.pid, card.descriptor);
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        throw Error(errno == ENOENT ? ErrorCode::peer_lost : ErrorCode::system, "shared memory",
                    fmt::format("cannot open the inbox of process {} ({}): {}", card.pid, path,
                                std::strerror(errno)));
    struct Closer {
        int descriptor;
        ~Closer() { close(descriptor); }
    } closer{descriptor};

    struct stat status {};
    const std::size_t start = rings_start(card.rings);
    const std::size_t expected = start + card.rings * card.ring_bytes;
    if (fstat(descriptor, &status) != 0 || static_cast<std::size_t>(status.st_size) != expected)
        throw Error(ErrorCode::peer_lost, "shared memory",
                    fmt::format("{} is not the inbox that process {} announced", path, card.pid));
    if (ring)
        allocate(descriptor, start + *ring * card.ring_bytes, card.ring_bytes);

    const std::size_t bytes = ring ? expected : start;
    Inbox inbox(card, -1, map(descriptor, bytes), bytes);
    if (inbox.header().magic != kMagic || inbox.header().nonce != card.nonce)
        throw Error(ErrorCode::peer_lost, "shared memory",
                    fmt::format("process {} is no longer the one that announced its inbox", card.pid));
    inbox.must_fence_ = inbox.header().peers_must_fence != 0 || !can_membarrier();
    return inbox;
}

Inbox::Inbox(Inbox&& other) noexcept
    : card_(other.card_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      base_(std::exchange(other.base_, nullptr)),
      mapped_bytes_(other.mapped_bytes_),
      must_fence_(other.must_fence_)
{
}

Inbox::~Inbox()
{
    if (base_ != nullptr)
        munmap(base_, mapped_bytes_);
    if (descriptor_ >= 0)
        close(descriptor_);
}

RingSlot& Inbox::slot(std::uint32_t index) const noexcept
{
    return reinterpret_cast<RingSlot*>(base_ + kHeaderBytes)[index];
}

RingMemory Inbox::ring(std::uint32_t index) const noexcept
{
    return {base_ + rings_start(card_.rings) + index * card_.ring_bytes, card_.ring_bytes,
            &slot(index).control};
}

void Inbox::wake_owner() const noexcept
{
    if (must_fence_) [[unlikely]]
        std::atomic_thread_fence(std::memory_order_seq_cst);
    else
        std::atomic_signal_fence(std::memory_order_seq_cst);
    InboxHeader& shared = header();
    if (shared.sleeping.load(std::memory_order_relaxed) != 0) [[unlikely]] {
        shared.bell.fetch_add(1, std::memory_order_release);
        base::futex_wake_all(shared.bell);
    }
}

}  // namespace tutti::transport::shm
