// ShmTransport's copies from a peer's memory, and the help of the memory's owner (shared_copy.hpp).
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/foundation/base/copy.hpp"
#include "lib/foundation/base/pause.hpp"
#include "transports/shm/process_memory.hpp"
#include "transports/shm/shared_heap.hpp"
#include "transports/shm/shm_transport.hpp"

namespace tutti::transport::shm {

namespace {

// Shorter copies are not shared: the cache lines that the two cores exchange cost as much as sharing saves.
// When the source is mapped and the target is not, only the helper needs the kernel, which is slower.
constexpr std::size_t kSharedFromBytes = 64u << 10;
constexpr std::size_t kSharedUnlikeFromBytes = 512u << 10;

// Number of looks at a helper's piece until the transport checks whether the helper is alive.
constexpr unsigned kLooksAnInquiry = 1u << 14;

// Number of looks that are longer than a helper needs for a piece, unless it has lost its core.
constexpr unsigned kLooksAPiece = 2000;

}  // namespace

// One copy, directly from the peer's memory.
SendResult ShmTransport::get(int peer, const RemoteRegion& remote, std::span<std::byte> local,
                             Completion& completion)
{
    Outgoing& from = *outgoing_[static_cast<std::size_t>(peer)];
    const std::span<const std::byte> mapped = view(peer, remote, local.size());
    if (!mapped.empty() && mapped.size() < kSharedFromBytes) [[likely]] {
        base::copy_bytes(local.data(), mapped.data(), mapped.size());
        return SendResult::done;
    }
    if (remote.key != 0 && mapped.empty())
        return SendResult::again;
    Copy copy{peer, mapped.data(), remote.address, local, &completion, nullptr};
    if (shares_copies_ && local.size() >= kSharedFromBytes) {
        // Outside a shared heap both sides copy by the kernel, which checks the addresses (copy_into).
        const RemoteRegion target = mapped.empty() ? RemoteMemory::expose(local) : expose(local);
        copy.declined = target.key != 0 ? &from.declines_mapped : &from.declines_unmapped;
        const bool alike = mapped.empty() == (target.key == 0);
        if (!*copy.declined && (alike || local.size() >= kSharedUnlikeFromBytes))
            return copy_together(copy, {remote, target, local.size()});
    }
    copy_piece(copy, {0, local.size()});
    return SendResult::done;
}

// Shared only if the peer can map both: otherwise its part would be two copies by the kernel.
SendResult ShmTransport::copy_own(int peer, std::span<std::byte> to, std::span<const std::byte> from,
                                  Completion& completion)
{
    Outgoing* const helper = outgoing_[static_cast<std::size_t>(peer)].get();
    if (from.size() < kSharedFromBytes || !shares_copies_ || helper == nullptr || helper->declines_mapped)
        return SendResult::again;
    const RemoteRegion source = expose(from);
    const RemoteRegion target = expose(to);
    if (source.key == 0 || target.key == 0)
        return SendResult::again;
    Copy copy{peer, from.data(), 0, to, &completion, &helper->declines_mapped};
    return copy_together(copy, {source, target, from.size(), SourceOf::receiver});
}

// Copies by this core if the source is mapped, otherwise by the kernel (cross memory attach). Throws when
// that is not allowed.
void ShmTransport::copy_piece(const Copy& copy, CopyPiece piece) const
{
    const std::span<std::byte> to = copy.to.subspan(piece.offset, piece.bytes);
    if (copy.mapped != nullptr)
        return base::copy_bytes(to.data(), copy.mapped + piece.offset, piece.bytes);
    const LocalProcess& owner = outgoing_[static_cast<std::size_t>(copy.peer)]->inbox.contact().owner;
    if (!owner.has_common_pids())
        throw Error(ErrorCode::not_supported, "get", "the peer is in another process namespace", copy.peer);
    if (!read_process_memory(owner.pid, copy.address + piece.offset, to))
        throw Error(ErrorCode::not_supported, "get",
                    fmt::format("process_vm_readv of process {}: {}", owner.pid, std::strerror(errno)),
                    copy.peer);
}

// The slot in this rank's inbox for copies that `peer` may help with.
SharedCopy& ShmTransport::shared_with(int peer) const noexcept
{
    return inbox_.slot(outgoing_[static_cast<std::size_t>(peer)]->inbox.contact().local_rank).copy;
}

// Throws what copy_piece() throws; while the peer still writes to the target, the completion reports it.
SendResult ShmTransport::copy_together(Copy& copy, const CopyWork& work)
{
    const CopyPiece all{0, work.bytes};
    Inbox& theirs = outgoing_[static_cast<std::size_t>(copy.peer)]->inbox;
    // Relaxed: it only says where to look. begin() publishes the data there.
    std::atomic<std::uint32_t>& wanted = theirs.header().help_wanted;
    std::uint32_t nobody = 0;
    // A peer that has not connected to this rank cannot see the offer.
    if (!inbox_.has_producer(theirs.contact().local_rank) || !make_free(copy.peer) ||
        !wanted.compare_exchange_strong(nobody, inbox_.contact().local_rank + 1, std::memory_order_relaxed)) {
        copy_piece(copy, all);
        return SendResult::done;
    }
    SharedCopy& shared = shared_with(copy.peer);
    shared.begin(work);
    // After an error the other pieces are still claimed, so that the helper does not start them.
    std::optional<Error> error;
    for (auto piece = shared.claim_front(); piece;
         piece = shared.is_helped() ? shared.claim_front() : shared.claim_rest()) {
        try {
            if (!error)
                copy_piece(copy, *piece);
        } catch (const Error& caught) {
            error = caught;
        }
    }
    wanted.store(0, std::memory_order_relaxed);
    if (!shared.over()) {
        copy.result = error ? error->code() : ErrorCode::success;
        copies_.push_back(copy);
        return SendResult::pending;
    }
    if (error)
        throw Error(*error);
    return SendResult::done;
}

// Whether the slot for copies that `peer` helps with is free. When messages follow each other closely, the
// helper is mostly busy with its last piece of the copy before, and ends soon. A helper without a core is
// waited for once.
bool ShmTransport::make_free(int peer)
{
    const auto pending = std::ranges::find_if(
        copies_, [&](const Copy& other) { return other.peer == peer && !other.is_over; });
    if (pending == copies_.end())
        return true;
    for (unsigned looks = std::exchange(pending->is_late, true) ? kLooksAPiece : 0;
         !is_helper_done(*pending) && looks < kLooksAPiece; ++looks)
        base::pause();
    if (!is_helper_done(*pending))
        return false;
    end_copy(*pending);
    return true;
}

// Whether the peer has finished all pieces that it claimed, or never will.
bool ShmTransport::is_helper_done(const Copy& copy) const noexcept
{
    const SharedCopy& shared = shared_with(copy.peer);
    return copy.is_over || shared.over() || shared.failed() || lost_[static_cast<std::size_t>(copy.peer)];
}

// For a copy whose helper is done: frees the slot. The completion is still to be fired.
void ShmTransport::end_copy(Copy& copy)
{
    if (std::exchange(copy.is_over, true))
        return;
    const SharedCopy& shared = shared_with(copy.peer);
    *copy.declined = shared.failed();
    try {
        if (const auto piece = shared.unfinished(); piece && copy.result == ErrorCode::success)
            copy_piece(copy, *piece);
    } catch (const Error& error) {
        copy.result = error.code();
    }
}

// Ends the copies whose helper is done; returns their number.
std::size_t ShmTransport::end_copies()
{
    if (++looks_at_copies_ % kLooksAnInquiry == 0)
        find_absent_peers();
    std::size_t ended = 0;
    for (std::size_t i = 0; i < copies_.size();) {
        if (!is_helper_done(copies_[i])) {
            ++i;
            continue;
        }
        Copy copy = copies_[i];
        end_copy(copy);
        copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(i));
        ++ended;
        copy.completion->fire(*copy.completion, copy.result);  // may start copies, and abandon some
    }
    return ended;
}

// A helper's piece takes microseconds, unless the helper has no core or is stopped.
void ShmTransport::outlast_helper(const Copy& copy) const noexcept
{
    constexpr timespec kNap{.tv_sec = 0, .tv_nsec = 50'000};
    while (!is_helper_done(copy) &&
           !outgoing_[static_cast<std::size_t>(copy.peer)]->inbox.contact().owner.has_ended())
        nanosleep(&kNap, nullptr);
}

void ShmTransport::abandon(const Completion& completion) noexcept
{
    const auto found = std::ranges::find(copies_, &completion, &Copy::completion);
    if (found == copies_.end())
        return;
    outlast_helper(*found);
    copies_.erase(found);
}

// Copies one piece for a peer that reads this rank's memory, while this rank waits for the peer.
std::size_t ShmTransport::help(std::uint32_t local_rank)
{
    if (local_rank >= local_peers_.size())
        return 0;
    const auto peer = static_cast<std::size_t>(local_peers_[local_rank]);
    Outgoing* const to = outgoing_[peer].get();
    if (to == nullptr || lost_[peer])
        return 0;
    SharedCopy& shared = to->inbox.slot(inbox_.contact().local_rank).copy;
    const auto piece = shared.failed() ? std::nullopt : shared.claim_back();
    if (!piece)
        return 0;
    if (copy_into(*to, shared.work(), *piece))
        shared.finish();
    else
        shared.fail();
    to->inbox.wake_owner();
    return 1;
}

// Like copy_piece(), from the other side. Only shared-heap memory is read without the kernel; elsewhere the
// kernel reports invalid addresses of the peer.
bool ShmTransport::copy_into(Outgoing& to, const CopyWork& work, CopyPiece piece) const noexcept
{
    const LocalProcess& peer = to.inbox.contact().owner;
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
