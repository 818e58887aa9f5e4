#include "transports/shm/node_board.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tutti/error.hpp"

namespace tutti::transport::shm {

namespace {

constexpr std::uint64_t kBoardMagic = 0x3730647262747574;  // "tutbrd07": changes with the layout

// Bytes of all boards in this process. Only a count: relaxed.
std::atomic<std::size_t> bytes_shared{0};

}  // namespace

BoardShare::BoardShare(std::size_t bytes) : bytes_(bytes)
{
    if (bytes_shared.fetch_add(bytes, std::memory_order_relaxed) + bytes <= kMostBytes)
        return;
    bytes_shared.fetch_sub(bytes, std::memory_order_relaxed);
    throw Error(ErrorCode::out_of_memory, "shared memory", "this process has reached its limit of boards");
}

BoardShare::~BoardShare()
{
    bytes_shared.fetch_sub(bytes_, std::memory_order_relaxed);
}

std::optional<BoardContact> BoardContact::parse(std::span<const std::byte> bytes) noexcept
{
    BoardContact contact{};
    if (bytes.size() != sizeof contact)
        return std::nullopt;
    std::memcpy(&contact, bytes.data(), sizeof contact);
    return contact.magic == kBoardMagic && contact.members > 0 ? std::optional(contact) : std::nullopt;
}

std::size_t NodeBoard::slots_start(std::uint32_t members) noexcept
{
    return sizeof(Header) + members * sizeof(Member);
}

std::size_t NodeBoard::streams_start(std::uint32_t members) noexcept
{
    return slots_start(members) + 2 * (members + std::size_t{1}) * kSlotBytes;
}

std::size_t NodeBoard::size_bytes(std::uint32_t members) noexcept
{
    return streams_start(members) + BoardStreams::size_bytes(members);
}

NodeBoard NodeBoard::create(std::uint32_t members, const LocalProcess& owner, DescriptorExchange* exchange)
{
    BoardShare share(size_bytes(members));
    MemoryFile file = MemoryFile::create("tutti-board", size_bytes(members));
    file.map(size_bytes(members));
    file.allocate(0, size_bytes(members));
    const BoardContact contact{kBoardMagic, new_nonce(), owner, file.descriptor(), members};
    if (exchange != nullptr)
        exchange->deposit(contact.descriptor);
    NodeBoard board(contact, std::move(share), std::move(file), exchange);
    board.header().magic = kBoardMagic;
    board.header().nonce = contact.nonce;
    return board;
}

NodeBoard NodeBoard::open(const BoardContact& contact, DescriptorExchange* exchange)
{
    BoardShare share(size_bytes(contact.members));
    MemoryFile file =
        MemoryFile::open(contact.owner, contact.descriptor, size_bytes(contact.members), exchange);
    file.map(size_bytes(contact.members));
    file.close_descriptor();
    NodeBoard board(contact, std::move(share), std::move(file), exchange);
    if (board.header().magic != kBoardMagic || board.header().nonce != contact.nonce)
        throw Error(
            ErrorCode::peer_lost, "shared memory",
            fmt::format("process {} is no longer the one that announced its board", contact.owner.pid));
    return board;
}

void NodeBoard::close_descriptor() noexcept
{
    if (exchange_ != nullptr && file_.descriptor() >= 0)
        exchange_->withdraw(file_.descriptor());
    file_.close_descriptor();
}

NodeBoard::Member& NodeBoard::member(std::uint32_t index) const noexcept
{
    return reinterpret_cast<Member*>(file_.base() + sizeof(Header))[index];
}

void NodeBoard::join(std::uint32_t index, const InboxContact& inbox) noexcept
{
    own_ = index;
    member(index).inbox = inbox;
    streams_ = BoardStreams(file_.base() + streams_start(contact_.members), contact_.members, own_);
}

void NodeBoard::announce(Signature signature) noexcept
{
    digest_ = (digest_ ^ signature[0] ^ signature[1] * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
    digest_ ^= digest_ >> 32;
    Member& own = member(own_);
    Announcement& call = own.calls[++announced_ % kKept];
    call.number.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    call.signature[0].store(signature[0], std::memory_order_relaxed);
    call.signature[1].store(signature[1], std::memory_order_relaxed);
    call.digest.store(digest_, std::memory_order_relaxed);
    call.number.store(announced_, std::memory_order_release);
    own.announced.store(announced_, std::memory_order_relaxed);
    streams_.set_key(digest_);
}

// Nothing where the member has not made that call, or too many since.
std::optional<NodeBoard::Announced> NodeBoard::call_of(const Member& member,
                                                       std::uint64_t number) const noexcept
{
    const Announcement& call = member.calls[number % kKept];
    if (number == 0 || call.number.load(std::memory_order_acquire) != number)
        return std::nullopt;
    const Announced read{{call.signature[0].load(std::memory_order_relaxed),
                          call.signature[1].load(std::memory_order_relaxed)},
                         call.digest.load(std::memory_order_relaxed)};
    std::atomic_thread_fence(std::memory_order_acquire);
    return call.number.load(std::memory_order_relaxed) == number ? std::optional(read) : std::nullopt;
}

std::optional<NodeBoard::Disagreement> NodeBoard::disagreement() const noexcept
{
    const Member& own = member(own_);
    for (std::uint32_t i = 0; i < contact_.members; ++i) {
        const Member& other = member(i);
        std::uint64_t number = std::min(announced_, other.announced.load(std::memory_order_relaxed));
        const auto both_made = [&](auto differs) {
            const auto mine = call_of(own, number);
            const auto theirs = call_of(other, number);
            return mine && theirs && differs(*mine, *theirs);
        };
        std::optional<Disagreement> found;
        while (both_made([&](const Announced& mine, const Announced& theirs) {
            if (mine.signature != theirs.signature)
                found = {mine.signature, i, theirs.signature};
            return mine.digest != theirs.digest;
        }))
            --number;
        if (found)
            return found;
    }
    return std::nullopt;
}

std::byte* NodeBoard::slot(std::uint32_t index) const noexcept
{
    const std::size_t set = call_ % 2 * (contact_.members + std::size_t{1});
    return file_.base() + slots_start(contact_.members) + (set + index) * kSlotBytes;
}

bool NodeBoard::arrive() const noexcept
{
    return header().arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == call_ * contact_.members;
}

// A member that has left the job needs no wake: it may leave after the call's end, before a slow member opens
// its inbox to wake it.
Inbox* NodeBoard::inbox_of(std::uint32_t index)
{
    inboxes_.resize(contact_.members);
    Waking& other = inboxes_[index];
    if (!other.has_left && !other.inbox) {
        try {
            other.inbox = Inbox::open(member(index).inbox, std::nullopt, exchange_);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::peer_lost)
                throw;
            other.has_left = true;
        }
    }
    return other.inbox ? &*other.inbox : nullptr;
}

// Opens the inboxes while their owners are still here.
void NodeBoard::look_for_all()
{
    for (std::uint32_t i = 0; i < contact_.members; ++i)
        if (i != own_ && inbox_of(i) != nullptr)
            must_fence_ |= inboxes_[i].inbox->must_fence();
    all_looked_for_ = true;
}

void NodeBoard::wake(std::uint32_t index)
{
    if (all_looked_for_) [[likely]] {
        if (std::optional<Inbox>& inbox = inboxes_[index].inbox)
            inbox->wake_owner();
    } else if (Inbox* const inbox = inbox_of(index)) {
        inbox->wake_owner();
    }
}

void NodeBoard::wake_others()
{
    for (Waking& other : inboxes_)
        if (other.inbox)
            other.inbox->wake_owner();
}

void NodeBoard::release()
{
    if (!all_looked_for_) [[unlikely]]
        look_for_all();
    header().released.store(call_, std::memory_order_release);  // pairs with released()
    wake_others();
}

bool NodeBoard::happened() noexcept
{
    switch (awaited_) {
        case Event::none:
            return true;
        case Event::released:
            return released();
        case Event::all_arrived:
            return all_arrived();
        case Event::chunk:
            return streams_.has_chunk(from_);
        case Event::room:
            return streams_.has_room();
    }
    return true;
}

bool NodeBoard::await(Event event, std::uint32_t from) noexcept
{
    awaited_ = event;
    from_ = from;
    if (happened()) {
        awaited_ = Event::none;
        return true;
    }
    // The member looks again before it sleeps, behind a barrier: see pass().
    if (event == Event::room)
        streams_.waiting().fetch_add(1, std::memory_order_relaxed);
    return false;
}

bool NodeBoard::has_come() noexcept
{
    if (!happened())
        return false;
    forget();
    return true;
}

void NodeBoard::forget() noexcept
{
    if (std::exchange(awaited_, Event::none) == Event::room)
        streams_.waiting().fetch_sub(1, std::memory_order_relaxed);
}

bool NodeBoard::waits_for(std::uint32_t index) const noexcept
{
    switch (awaited_) {
        case Event::none:
            return false;
        case Event::chunk:
            return index == from_ && !streams_.has_chunk(from_);
        case Event::room:
            return streams_.is_in_the_way(index);
        default:
            return !is_as_far(index);
    }
}

}  // namespace tutti::transport::shm
