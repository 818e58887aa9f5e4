// ShmTransport's copies out of a peer's memory, and the part that the owner of the memory has in it
// (shared_copy.hpp).
#include <fmt/format.h>
#include <sched.h>
#include <time.h>

#include <cerrno>
#include <cstring>
#include <exception>

#include "lib/foundation/base/copy.hpp"
#include "lib/foundation/base/pause.hpp"
#include "transports/shm/process_memory.hpp"
#include "transports/shm/shared_heap.hpp"
#include "transports/shm/shm_transport.hpp"

namespace tutti::transport::shm {

namespace {

// Below, the lines that two cores exchange to share a copy cost what it saves. Where the memory is mapped and
// the target is not, the helper alone needs the kernel, which is slower.
constexpr std::size_t kSharedFromBytes = 64u << 10;
constexpr std::size_t kSharedUnlikeFromBytes = 512u << 10;

// The helper's last piece is a matter of microseconds, mostly. Then the core is given to others; and who is
// late by more than a turn is kept from its core, stopped or dead.
constexpr unsigned kLooksAPause = 500;
constexpr unsigned kLooksAwake = 40 * kLooksAPause;
constexpr timespec kNap{.tv_sec = 0, .tv_nsec = 1'000'000};

// Until the sender has done all that it claimed, or never will.
void await_helper(const SharedCopy& shared, const InboxCard& helper)
{
    for (unsigned looks = 1; !shared.over() && !shared.failed(); ++looks) {
        if (looks % kLooksAPause != 0 && looks < kLooksAwake) {
            base::pause();
            continue;
        }
        if (helper.owner.has_ended())
            return;
        if (looks < kLooksAwake)
            sched_yield();
        else
            nanosleep(&kNap, nullptr);
    }
}

}  // namespace

bool ShmTransport::copy_viewed(int peer, const RemoteRegion& remote, std::span<std::byte> local)
{
    const std::span<const std::byte> mapped = view(peer, remote, local.size());
    if (mapped.empty())
        return false;
    if (mapped.size() < kSharedFromBytes)
        base::copy_bytes(local.data(), mapped.data(), mapped.size());
    else
        fetch(peer, remote, mapped.data(), local);
    return true;
}

SendResult ShmTransport::get(int peer, RemoteRegion remote, std::span<std::byte> local, Completion&)
{
    fetch(peer, remote, nullptr, local);
    return SendResult::done;
}

// Where both are mapped there: of anything else the helper's part would be two copies by the kernel.
void ShmTransport::copy_own(int peer, std::span<std::byte> to, std::span<const std::byte> from)
{
    const auto copy = [&](CopyPiece piece) {
        base::copy_bytes(to.data() + piece.offset, from.data() + piece.offset, piece.bytes);
    };
    Outgoing* const helper = outgoing_[static_cast<std::size_t>(peer)].get();
    if (from.size() < kSharedFromBytes || !shares_copies_ || helper == nullptr || helper->declines_mapped) {
        copy({0, from.size()});
        return;
    }
    const RemoteRegion source = expose(from);
    const RemoteRegion target = expose(to);
    if (source.key != 0 && target.key != 0)
        helper->declines_mapped =
            !copy_together(*helper, {source, target, from.size(), SourceOf::receiver}, copy);
    else
        copy({0, from.size()});
}

// One copy, straight out of the peer's memory: by this core where that is `mapped`, by the kernel (cross
// memory attach) where not. Throws where that is not allowed.
void ShmTransport::fetch(int peer, const RemoteRegion& remote, const std::byte* mapped,
                         std::span<std::byte> local)
{
    Outgoing& from = *outgoing_[static_cast<std::size_t>(peer)];
    const LocalProcess& owner = from.inbox.card().owner;
    const auto copy = [&](CopyPiece piece) {
        const std::span<std::byte> to = local.subspan(piece.offset, piece.bytes);
        if (mapped != nullptr)
            base::copy_bytes(to.data(), mapped + piece.offset, piece.bytes);
        else if (!owner.has_common_pids())
            throw Error(ErrorCode::not_supported, "get", "the peer is in another process namespace", peer);
        else if (!read_process_memory(owner.pid, remote.address + piece.offset, to))
            throw Error(ErrorCode::not_supported, "get",
                        fmt::format("process_vm_readv of process {}: {}", owner.pid, std::strerror(errno)),
                        peer);
    };
    // What is not in a shared heap the kernel copies on both sides: it checks the addresses (copy_into).
    const RemoteRegion target = mapped == nullptr ? Transport::expose(local) : expose(local);
    const bool alike = (mapped != nullptr) == (target.key != 0);
    const bool worth_it = local.size() >= (alike ? kSharedFromBytes : kSharedUnlikeFromBytes);
    bool& declined = target.key != 0 ? from.declines_mapped : from.declines_unmapped;
    if (shares_copies_ && worth_it && !declined)
        declined = !copy_together(from, {remote, target, local.size()}, copy);
    else
        copy({0, local.size()});
}

// False: the peer cannot do such work. Throws what `copy` does, once nobody writes to the target any more.
template <class Copy>
bool ShmTransport::copy_together(Outgoing& from, const CopyWork& work, Copy&& copy)
{
    // Relaxed: it says where to look. What is found there is published by begin().
    std::atomic<std::uint32_t>& wanted = from.inbox.header().help_wanted;
    std::uint32_t nobody = 0;
    // Who has not connected to this rank cannot see what it offers.
    if (!inbox_.has_producer(from.inbox.card().local_rank) ||
        !wanted.compare_exchange_strong(nobody, inbox_.card().local_rank + 1, std::memory_order_relaxed)) {
        copy({0, work.bytes});
        return true;
    }
    SharedCopy& shared = inbox_.slot(from.inbox.card().local_rank).copy;
    shared.begin(work);
    std::exception_ptr error;
    for (auto piece = shared.claim_front(); piece;
         piece = shared.is_helped() ? shared.claim_front() : shared.claim_rest()) {
        try {
            if (!error)
                copy(*piece);
        } catch (...) {
            error = std::current_exception();
        }
    }
    wanted.store(0, std::memory_order_relaxed);
    await_helper(shared, from.inbox.card());
    if (error)
        std::rethrow_exception(error);
    if (const auto piece = shared.unfinished())
        copy(*piece);
    return !shared.failed();
}

// A piece of what a peer copies out of this rank's memory, for which this rank waits.
std::size_t ShmTransport::help(std::uint32_t local_rank)
{
    if (local_rank >= local_peers_.size())
        return 0;
    const auto peer = static_cast<std::size_t>(local_peers_[local_rank]);
    Outgoing* const to = outgoing_[peer].get();
    if (to == nullptr || lost_[peer])
        return 0;
    SharedCopy& shared = to->inbox.slot(inbox_.card().local_rank).copy;
    const auto piece = shared.failed() ? std::nullopt : shared.claim_back();
    if (!piece)
        return 0;
    if (copy_into(*to, shared.work(), *piece))
        shared.finish();
    else
        shared.fail();
    return 1;
}

// As fetch() does it, from the other side. Only memory of the shared heap is read without the kernel, which
// tells where an address of the peer's leads nowhere.
bool ShmTransport::copy_into(Outgoing& to, const CopyWork& work, CopyPiece piece) const noexcept
{
    const LocalProcess& peer = to.inbox.card().owner;
    const auto& [source, target, bytes, owner] = work;
    const std::byte* data = owner == SourceOf::receiver
                                ? to.arenas.view(peer, source, bytes, exchange_).data()
                                : SharedHeap::instance().at(source, bytes).data();
    if (target.key != 0) {
        std::byte* const place = to.arenas.view(peer, target, bytes, exchange_).data();
        if (place == nullptr || data == nullptr)
            return false;
        base::copy_bytes(place + piece.offset, data + piece.offset, piece.bytes);
        return true;
    }
    if (owner == SourceOf::sender && source.key == 0)
        data = reinterpret_cast<const std::byte*>(source.address);
    return data != nullptr && peer.has_common_pids() &&
           write_process_memory(peer.pid, target.address + piece.offset, {data + piece.offset, piece.bytes});
}

}  // namespace tutti::transport::shm
