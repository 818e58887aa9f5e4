#include "transports/shm/node_board.hpp"

#include <fmt/format.h>

#include <cstring>

#include "tutti/error.hpp"

namespace tutti::transport::shm {

namespace {

constexpr std::uint64_t kBoardMagic = 0x3530647262747574;  // "tutbrd05": changes with the layout

// Of all boards in this process. Only a count: relaxed.
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

std::optional<BoardCard> BoardCard::parse(std::span<const std::byte> bytes) noexcept
{
    BoardCard card{};
    if (bytes.size() != sizeof card)
        return std::nullopt;
    std::memcpy(&card, bytes.data(), sizeof card);
    return card.magic == kBoardMagic && card.members > 0 ? std::optional(card) : std::nullopt;
}

std::size_t NodeBoard::slots_start(std::uint32_t members) noexcept
{
    return sizeof(Header) + members * sizeof(Member);
}

std::size_t NodeBoard::size_bytes(std::uint32_t members) noexcept
{
    return slots_start(members) + 2 * (members + std::size_t{1}) * kSlotBytes;
}

NodeBoard NodeBoard::create(std::uint32_t members, const LocalProcess& owner, DescriptorExchange* exchange)
{
    BoardShare share(size_bytes(members));
    MemoryFile file = MemoryFile::create("tutti-board", size_bytes(members));
    file.map(size_bytes(members));
    file.allocate(0, size_bytes(members));
    const BoardCard card{kBoardMagic, new_nonce(), owner, file.descriptor(), members};
    if (exchange != nullptr)
        exchange->deposit(card.descriptor);
    NodeBoard board(card, std::move(share), std::move(file), exchange);
    board.header().magic = kBoardMagic;
    board.header().nonce = card.nonce;
    return board;
}

NodeBoard NodeBoard::open(const BoardCard& card, DescriptorExchange* exchange)
{
    BoardShare share(size_bytes(card.members));
    MemoryFile file = MemoryFile::open(card.owner, card.descriptor, size_bytes(card.members), exchange);
    file.map(size_bytes(card.members));
    file.close_descriptor();
    NodeBoard board(card, std::move(share), std::move(file), exchange);
    if (board.header().magic != kBoardMagic || board.header().nonce != card.nonce)
        throw Error(ErrorCode::peer_lost, "shared memory",
                    fmt::format("process {} is no longer the one that announced its board", card.owner.pid));
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

void NodeBoard::join(std::uint32_t index, const InboxCard& inbox) noexcept
{
    own_ = index;
    member(index).inbox = inbox;
}

void NodeBoard::announce(const Signature& signature) noexcept
{
    Member& own = member(own_);
    own.announced.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    own.signature[0].store(signature[0], std::memory_order_relaxed);
    own.signature[1].store(signature[1], std::memory_order_relaxed);
    own.announced.store(++announced_, std::memory_order_release);
}

std::optional<NodeBoard::Other> NodeBoard::disagreement() const noexcept
{
    const Signature mine = signature();
    for (std::uint32_t i = 0; i < card_.members; ++i) {
        const Member& other = member(i);
        if (other.announced.load(std::memory_order_acquire) != announced_)
            continue;
        const Signature theirs = read(other);
        std::atomic_thread_fence(std::memory_order_acquire);
        if (other.announced.load(std::memory_order_relaxed) == announced_ && theirs != mine)
            return Other{i, theirs};
    }
    return std::nullopt;
}

std::byte* NodeBoard::slot(std::uint32_t index) const noexcept
{
    const std::size_t set = call_ % 2 * (card_.members + std::size_t{1});
    return file_.base() + slots_start(card_.members) + (set + index) * kSlotBytes;
}

bool NodeBoard::arrive() const noexcept
{
    return header().arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == call_ * card_.members;
}

// A member that has left the job needs no wake: it may leave after the call's end, before a slow member opens
// its inbox to wake it.
Inbox* NodeBoard::inbox_of(std::uint32_t index)
{
    inboxes_.resize(card_.members);
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

void NodeBoard::release()
{
    // Opens the inboxes while their owners are still here.
    for (std::uint32_t i = 0; i < card_.members && !all_looked_for_; ++i)
        if (i != own_)
            inbox_of(i);
    all_looked_for_ = true;
    header().released.store(call_, std::memory_order_release);  // pairs with released()
    for (Waking& other : inboxes_)
        if (other.inbox)
            other.inbox->wake_owner();
}

bool NodeBoard::released() const noexcept
{
    return header().released.load(std::memory_order_acquire) >= call_;
}

bool NodeBoard::all_arrived() const noexcept
{
    return header().arrived.load(std::memory_order_acquire) >= call_ * card_.members;
}

void NodeBoard::wake_root()
{
    if (Inbox* const root = inbox_of(0))
        root->wake_owner();
}

}  // namespace tutti::transport::shm
