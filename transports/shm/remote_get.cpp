// ShmTransport's copies out of a peer's memory, and the part that the owner of the memory has in it
// (shared_copy.hpp).
#include <fmt/format.h>
#include <sched.h>

#include <cerrno>
#include <cstring>
#include <exception>

#include "lib/base/copy.hpp"
#include "transports/shm/process_memory.hpp"
#include "transports/shm/shared_heap.hpp"
#include "transports/shm/shm_transport.hpp"

namespace tutti::transport::shm {

namespace {

// Below, the lines that two cores exchange to share a copy cost what it saves.
constexpr std::size_t kSharedFromBytes = 64u << 10;
// Looks at whether the helper has ended its last piece before the core is given to others, and it may have
// died.
constexpr int kLooksAPause = 4000;

// A peer asks for this rank's help while it copies out of its memory, and lets nobody else ask.
class HelpWanted {
public:
    HelpWanted(InboxHeader& header, std::uint32_t local_rank) noexcept : word_(header.help_wanted)
    {
        std::uint32_t nobody = 0;
        asked_ = word_.compare_exchange_strong(nobody, local_rank + 1, std::memory_order_release,
                                               std::memory_order_relaxed);
    }
    ~HelpWanted()
    {
        if (asked_)
            word_.store(0, std::memory_order_relaxed);
    }
    HelpWanted(const HelpWanted&) = delete;
    HelpWanted& operator=(const HelpWanted&) = delete;

    explicit operator bool() const noexcept { return asked_; }

private:
    std::atomic<std::uint32_t>& word_;
    bool asked_;
};

}  // namespace

bool ShmTransport::copy_viewed(int peer, const RemoteRegion& remote, std::span<std::byte> local)
{
    const std::span<const std::byte> mapped = view(peer, remote, local.size());
    if (!mapped.empty())
        fetch(peer, remote, mapped.data(), local);
    return !mapped.empty();
}

SendResult ShmTransport::get(int peer, RemoteRegion remote, std::span<std::byte> local, Completion&)
{
    fetch(peer, remote, nullptr, local);
    return SendResult::done;
}

// One copy, straight out of the peer's memory: by this core where that is `mapped`, by the kernel (cross
// memory attach) where not. Throws where that is not allowed.
void ShmTransport::fetch(int peer, const RemoteRegion& remote, const std::byte* mapped,
                         std::span<std::byte> local)
{
    Outgoing& from = *outgoing_[static_cast<std::size_t>(peer)];
    const pid_t pid = from.inbox.card().pid;
    const auto copy = [&](CopyPiece piece) {
        const std::span<std::byte> to = local.subspan(piece.offset, piece.bytes);
        if (mapped != nullptr)
            base::copy_bytes(to.data(), mapped + piece.offset, piece.bytes);
        else if (!read_process_memory(pid, remote.address + piece.offset, to))
            throw Error(ErrorCode::not_supported, "get",
                        fmt::format("process_vm_readv of process {}: {}", pid, std::strerror(errno)), peer);
    };
    if (local.size() < kSharedFromBytes || !shares_copies_) {
        copy({0, local.size()});
    } else {
        // Of memory that is not mapped here the owner cannot reach ours but through the kernel, either.
        const RemoteRegion here = mapped == nullptr ? Transport::expose(local) : expose(local);
        copy_together(from, {remote, here, local.size()}, copy);
    }
}

template <class Copy>
void ShmTransport::copy_together(Outgoing& from, const CopyWork& work, Copy&& copy)
{
    const HelpWanted asked(from.inbox.header(), inbox_.card().local_rank);
    if (!asked)
        return copy({0, work.bytes});
    SharedCopy& shared = inbox_.slot(from.inbox.card().local_rank).copy;
    shared.begin(work);
    std::exception_ptr error;
    while (const auto piece = shared.claim_front()) {
        try {
            if (!error)
                copy(*piece);
        } catch (const Error&) {
            error = std::current_exception();  // only once nobody writes here any more
        }
    }
    for (int looks = 1; !shared.over(); ++looks) {
        if (shared.failed() || (looks % kLooksAPause == 0 && from.inbox.card().has_ended())) {
            if (const auto piece = shared.unfinished(); piece && !error)
                copy(*piece);
            break;
        }
        if (looks % kLooksAPause == 0)
            sched_yield();
    }
    if (error)
        std::rethrow_exception(error);
}

// A piece of what a peer copies out of this rank's memory, for which this rank waits.
std::size_t ShmTransport::help(std::uint32_t local_rank)
{
    if (local_rank >= local_peers_.size())
        return 0;
    Outgoing* const to = outgoing_[static_cast<std::size_t>(local_peers_[local_rank])].get();
    if (to == nullptr || to->cannot_help)
        return 0;
    SharedCopy& shared = to->inbox.slot(inbox_.card().local_rank).copy;
    const auto piece = shared.claim_back();
    if (!piece)
        return 0;
    to->cannot_help = !copy_into(*to, shared.work(), *piece);
    if (to->cannot_help)
        shared.fail();
    else
        shared.finish();
    return 1;
}

// As fetch() does it, from the other side. Only memory of the shared heap is read without the kernel, which
// tells where an address of the peer's leads nowhere.
bool ShmTransport::copy_into(Outgoing& to, const CopyWork& work, CopyPiece piece) noexcept
{
    const pid_t pid = to.inbox.card().pid;
    const auto& [source, target, bytes] = work;
    const std::byte* data = SharedHeap::instance().at(source, bytes).data();
    if (target.key != 0) {
        std::byte* const place = to.arenas.view(pid, target, bytes).data();
        if (place == nullptr || data == nullptr)
            return false;
        std::memcpy(place + piece.offset, data + piece.offset, piece.bytes);
        return true;
    }
    if (source.key == 0)
        data = reinterpret_cast<const std::byte*>(source.address);
    return data != nullptr &&
           write_process_memory(pid, target.address + piece.offset, {data + piece.offset, piece.bytes});
}

}  // namespace tutti::transport::shm
