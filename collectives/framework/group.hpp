// Group: a collective algorithm's interface to its ranks. The communicator implements it over the engine, the
// simulator in virtual time; the same coroutines run on both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "collectives/framework/awaited_operation.hpp"
#include "collectives/framework/block_pool.hpp"
#include "collectives/framework/call.hpp"
#include "lib/foundation/reduction/reduce_op.hpp"

namespace tutti::collectives {

using reduction::ReduceOp;

class Board;
class Group;
class NodeMap;
class Rounds;
class Streams;

/// A message in several places, in its order.
using Parts = std::span<const std::span<const std::byte>>;

/// An array of elements that algorithms move and reduce without reading their values.
struct Buffer {
    std::byte* data = nullptr;
    std::size_t count = 0;
    std::size_t element_bytes = 1;

    std::size_t size_bytes() const noexcept { return count * element_bytes; }
    std::span<std::byte> bytes() const noexcept { return {data, size_bytes()}; }
};

/// Input for the choice of an algorithm. It must be the same at all ranks of the group.
struct Placement {
    bool one_node = false;
    bool more_ranks_than_cores = false;
    std::size_t board_bytes = 0;     // slot_bytes() of the group's Board; 0: neither that nor Streams
    std::size_t chunk_bytes = 0;     // the longest chunk of the group's Streams; 0: there are none
    const NodeMap* nodes = nullptr;  // set for several known nodes; outlives the group

    /// The group has a board and streams in such memory.
    template <class Memory>
    void add_board() noexcept
    {
        board_bytes = Memory::kSlotBytes;
        chunk_bytes = Memory::kChunkBytes;
    }
};

/// A message in its sender's memory if that can be read in place, else a copy. The sender continues when the
/// view ends. Outlives the operation that fills it.
class View {
public:
    explicit View(std::size_t size_bytes) : room_(size_bytes), bytes_(room_.bytes()) {}
    View(const View&) = delete;
    View& operator=(const View&) = delete;
    inline ~View();

    std::span<const std::byte> bytes() const noexcept { return bytes_; }

    /// For groups: memory for a copy.
    std::span<std::byte> room() const noexcept { return room_.bytes(); }
    /// For groups: shows `bytes` in place of the room; the end calls owner.end_view(sender, id).
    void show(Group& owner, std::span<const std::byte> bytes, int sender, std::uint64_t id) noexcept
    {
        owner_ = &owner;
        bytes_ = bytes;
        sender_ = sender;
        id_ = id;
    }

private:
    Scratch room_;
    std::span<const std::byte> bytes_;
    Group* owner_ = nullptr;
    int sender_ = 0;
    std::uint64_t id_ = 0;
};

/// Which operand the arriving elements are.
enum class Side { left, right };

/// The ranks of one collective call and the messages among them.
///
/// Operations start at once and are awaited later, in any order. Messages carry no tags: between two ranks
/// the first receive matches the first send, so a group's messages must be separate from all others (also
/// those of earlier and concurrent calls). The data of a send or receive, and the group, must live until the
/// operation is done. A message of another length than its receive is an error (ErrorCode::truncated). No
/// call blocks, except runs_at_once(). All throw tutti::Error if an operation cannot start.
class Group {
public:
    Group(int rank, int size, Placement placement) noexcept : rank_(rank), size_(size), placement_(placement)
    {
    }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    virtual ~Group() = default;

    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }
    Placement placement() const noexcept { return placement_; }

    /// Done when `data` may be overwritten. The peer may or may not have received it then: an algorithm must
    /// not rely on buffering.
    virtual Operation send(int peer, std::span<const std::byte> data) = 0;
    /// send() of data that only the peer waits for. A peer that shares this rank's core can read it only
    /// later: then a copy is left for it, and this rank continues.
    virtual Operation send_ahead(int peer, std::span<const std::byte> data) { return send(peer, data); }
    /// send() of data in several places: the parts and their list live until the operation is done.
    virtual Operation send_parts(int peer, Parts parts) = 0;
    /// Whether `peer` reads `data` where it lies once it is sent.
    virtual bool reads_in_place(int, std::span<const std::byte>) { return false; }
    /// False if it is known of a group of two that neither reads data where it lies. Both answer alike.
    virtual bool may_read_in_place() const noexcept { return true; }
    virtual Operation recv(int peer, std::span<std::byte> data) = 0;
    /// Receives as many bytes as `view` has room for.
    virtual Operation recv_view(int peer, View& view) { return recv(peer, view.room()); }
    /// Receives as many elements as `result` has and combines them with `operand` (as many) from where they
    /// arrive: result = arriving op operand (Side::left) or operand op arriving (Side::right). `operand` is
    /// result.data or does not overlap it. Parts of the message may be combined as they arrive, so nothing
    /// else may use `result` until the operation is done.
    virtual Operation recv_reduce(int peer, const std::byte* operand, Buffer result, ReduceOp op,
                                  Side arriving) = 0;
    /// `accumulate` is operand and result.
    Operation recv_reduce(int peer, Buffer accumulate, ReduceOp op, Side arriving)
    {
        return recv_reduce(peer, accumulate.data, accumulate, op, arriving);
    }

    /// Describes this call, before its first operation. A group that compares the calls of its ranks fails
    /// the call if they differ.
    virtual void announce(const Call&) {}

    /// The board for this call if placement() has one; else nullptr.
    virtual Board* board() noexcept { return nullptr; }
    /// The streams for this call if placement() has some; else nullptr.
    virtual Streams* streams() noexcept { return nullptr; }
    /// Runs all rounds and returns true if this group may block here; else does nothing. Throws tutti::Error.
    virtual bool runs_at_once(Rounds&) { return false; }

    /// Sends and receives at once, to and from the same or two peers. The buffers must not overlap.
    All<std::array<Operation, 2>> exchange(int to, std::span<const std::byte> outgoing, int from,
                                           std::span<std::byte> incoming)
    {
        // Posts the receive first: a message that arrives then needs no temporary copy.
        Operation received = recv(from, incoming);
        Operation sent = send(to, outgoing);
        return when_all(std::move(received), std::move(sent));
    }

    /// dst = a op b; dst may be a or b.
    static void reduce(std::byte* dst, const std::byte* a, const std::byte* b, std::size_t count, ReduceOp op)
    {
        op(dst, a, b, count);
    }
    /// dst and src are equally long; they are the same or do not overlap.
    static void copy(std::span<std::byte> dst, std::span<const std::byte> src) noexcept
    {
        if (!src.empty() && dst.data() != src.data())
            std::memcpy(dst.data(), src.data(), src.size());
    }
    /// copy() while `peer` waits for this rank: the peer may do part of it.
    virtual Operation copy_with(int, std::span<std::byte> dst, std::span<const std::byte> src)
    {
        copy(dst, src);
        return {};
    }
    static Scratch scratch(std::size_t size_bytes) { return Scratch(size_bytes); }

protected:
    friend Operation;
    friend View;

    /// Called when the view of that message ends.
    virtual void end_view(int, std::uint64_t) noexcept {}
    /// Takes a state back. An unfinished operation must be cancelled before this returns: no complete() and
    /// no access to its buffer afterwards.
    virtual void release(OperationState& state) noexcept = 0;
    /// Throws the tutti::Error of a failed operation, with the group's details (peer, sizes).
    [[noreturn]] virtual void raise(const OperationState& state) const = 0;

private:
    int rank_;
    int size_;
    Placement placement_;
};

inline View::~View()
{
    if (owner_ != nullptr)
        owner_->end_view(sender_, id_);
}

inline void Operation::give_back() noexcept
{
    state_->owner().release(*state_);
}

inline void Operation::finish_state()
{
    if (state_->result() != ErrorCode::success) [[unlikely]] {
        // The destructor returns the state after the exception is made from it.
        state_->owner().raise(*state_);
    }
    OperationState& ended = *std::exchange(state_, nullptr);
    ended.owner().release(ended);
}

}  // namespace tutti::collectives
