// Communicators: a group of ranks that exchange messages which no other communicator sees.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/buffer.hpp"
#include "tutti/calls.hpp"
#include "tutti/reduce_collectives.hpp"
#include "tutti/request.hpp"
#include "tutti/status.hpp"

namespace tutti {

namespace detail {
class CommunicatorState;
struct MatchedMessage;
}  // namespace detail

class Communicator;
class CartesianCommunicator;
class GraphCommunicator;

/// A message that a matched probe has taken from the queue: only its holder can receive it. Destroying a
/// message that was not received drops it.
class [[nodiscard]] Message {
public:
    Message(Message&& other) noexcept;
    Message& operator=(Message&& other) noexcept;
    ~Message();

    /// Its sender, tag and size.
    const Status& status() const noexcept { return status_; }

    /// Receives the message. Same errors as Communicator::recv. May be called once.
    template <class B>
    Status recv(B&& buffer)
    {
        return irecv_view(detail::view(buffer)).wait();
    }
    template <class B>
    Request irecv(B& buffer)
    {
        return irecv_view(detail::view(buffer));
    }

private:
    friend class Communicator;
    Message(std::shared_ptr<detail::CommunicatorState> state, detail::MatchedMessage* matched,
            Status status) noexcept;
    Request irecv_view(detail::View view);

    std::shared_ptr<detail::CommunicatorState> state_;
    detail::MatchedMessage* matched_ = nullptr;
    Status status_;
};

/// Which ranks a split puts together, and in which order.
struct SplitOptions {
    int key = 0;  // orders the ranks of one colour; equal keys: by old rank
};

/// How ranks are arranged in a grid.
struct CartesianOptions {
    /// Ranks may get other numbers in the grid, so that neighbours share nodes. No effect on one node.
    bool reorder = false;
};

/// A cheap value: copies refer to the same communicator. Ranks are 0 .. size()-1.
///
/// Point to point. `buffer` is a trivially copyable object, a contiguous range of them, a layout, or typed().
/// Messages of one sender, communicator and tag are received in the order sent. `recv` throws
/// ErrorCode::truncated when the message is longer than the buffer (the buffer is filled),
/// ErrorCode::invalid_rank / invalid_tag for arguments out of range. Send modes: `send` may return before the
/// receiver has the message, `ssend` returns when a receive has matched, `rsend` asserts that the receive is
/// posted. With ThreadLevel::multiple any thread may make any call at any time; below that, one thread at a
/// time.
///
/// Collectives must be called by all ranks of the communicator, in the same order. Those that move blocks
/// (allgather, gather, scatter, alltoall) are in BlockCollectives, those that combine elements (reduce,
/// allreduce, reduce_scatter, scan, exscan) in ReduceCollectives.
class Communicator : public ReduceCollectives {
public:
    /// This process's number, and how many there are.
    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }

    /// Blocking: the buffer is free when they return.
    template <class B>
    void send(const B& buffer, int destination, int tag = 0) const
    {
        send_view(detail::const_view(buffer), destination, tag, SendMode::standard);
    }
    template <class T>
    void send(std::initializer_list<T> values, int destination, int tag = 0) const
    {
        send_view(detail::const_view(values), destination, tag, SendMode::standard);
    }
    template <class B>
    void ssend(const B& buffer, int destination, int tag = 0) const
    {
        send_view(detail::const_view(buffer), destination, tag, SendMode::synchronous);
    }
    template <class B>
    void rsend(const B& buffer, int destination, int tag = 0) const
    {
        send_view(detail::const_view(buffer), destination, tag, SendMode::ready);
    }

    /// An lvalue, and the memory of typed(), is borrowed until the request is complete; an rvalue is moved in
    /// (OwningRequest).
    template <class B>
    auto isend(B&& buffer, int destination, int tag = 0) const
    {
        return isend_as(std::forward<B>(buffer), destination, tag, SendMode::standard);
    }
    template <class B>
    auto issend(B&& buffer, int destination, int tag = 0) const
    {
        return isend_as(std::forward<B>(buffer), destination, tag, SendMode::synchronous);
    }
    template <class B>
    auto irsend(B&& buffer, int destination, int tag = 0) const
    {
        return isend_as(std::forward<B>(buffer), destination, tag, SendMode::ready);
    }

    /// A message that fits; the buffer of irecv is borrowed or moved in as that of isend.
    template <class B>
    Status recv(B&& buffer, int source = any_source, int tag = any_tag) const
    {
        detail::check_result_stays<B>();
        return recv_view(detail::view(buffer), source, tag);
    }
    template <class B>
    auto irecv(B&& buffer, int source = any_source, int tag = any_tag) const
    {
        if constexpr (std::is_lvalue_reference_v<B> || detail::Typed<B>) {
            return irecv_view(detail::view(buffer), source, tag);
        } else {
            auto owned = std::make_shared<std::remove_cvref_t<B>>(std::move(buffer));
            Request request = irecv_view(detail::view(*owned), source, tag);
            return own(std::move(request), std::move(owned));
        }
    }

    /// Sends and receives at once, so that rings do not deadlock.
    template <class S, class R>
    Status sendrecv(const S& out, int destination, int send_tag, R&& in, int source, int recv_tag) const
    {
        detail::check_result_stays<R>();
        Request received = irecv_view(detail::view(in), source, recv_tag);
        send_view(detail::const_view(out), destination, send_tag, SendMode::standard);
        return received.wait();
    }

    // probe
    /// Waits for a message that a recv with these arguments would get, and leaves it in the queue. Throws
    /// ErrorCode::peer_lost when no such message can come; iprobe throws it when `source` has left.
    Status probe(int source = any_source, int tag = any_tag) const;
    std::optional<Status> iprobe(int source = any_source, int tag = any_tag) const;
    /// A probe that takes the message from the queue: safe with several threads.
    Message mprobe(int source = any_source, int tag = any_tag) const;
    std::optional<Message> improbe(int source = any_source, int tag = any_tag) const;

    // persistent
    /// Operations to be started again and again (PersistentRequest). Buffers are borrowed.
    template <class B>
    PersistentRequest send_init(B&& buffer, int destination, int tag = 0) const
    {
        detail::check_outlives_call<B>();
        return send_init_view(detail::const_view(buffer), destination, tag, SendMode::standard);
    }
    template <class B>
    PersistentRequest ssend_init(B&& buffer, int destination, int tag = 0) const
    {
        detail::check_outlives_call<B>();
        return send_init_view(detail::const_view(buffer), destination, tag, SendMode::synchronous);
    }
    template <class B>
    PersistentRequest recv_init(B&& buffer, int source = any_source, int tag = any_tag) const
    {
        detail::check_outlives_call<B>();
        return recv_init_view(detail::view(buffer), source, tag);
    }

    // collectives
    /// Returns when all ranks have called it.
    void barrier(CollectiveOptions options = {}) const
    {
        detail::call_barrier(state_, Form::blocking, options);
    }
    Request ibarrier(CollectiveOptions options = {}) const
    {
        return detail::call_barrier(state_, Form::nonblocking, options).request();
    }
    PersistentRequest barrier_init(CollectiveOptions options = {}) const
    {
        return detail::call_barrier(state_, Form::persistent, options).persistent();
    }

    /// Copies root's buffer to all ranks. Sizes must agree.
    template <class B>
    void broadcast(B&& buffer, RootOptions options = {}) const
    {
        detail::check_result_stays<B>();
        detail::call_broadcast(state_, Form::blocking, detail::in_place(buffer), options);
    }
    template <class B>
    Request ibroadcast(B&& buffer, RootOptions options = {}) const
    {
        return detail::call_broadcast(state_, Form::nonblocking, detail::borrowed_in_place<B>(buffer),
                                      options)
            .request();
    }
    template <class B>
    PersistentRequest broadcast_init(B&& buffer, RootOptions options = {}) const
    {
        return detail::call_broadcast(state_, Form::persistent, detail::borrowed_in_place<B>(buffer), options)
            .persistent();
    }

    // Calls that do not fit are refused in words.
    using Misuse::bcast, Misuse::broadcast, Misuse::broadcast_init, Misuse::ibroadcast, Misuse::irecv,
        Misuse::irsend, Misuse::isend, Misuse::issend, Misuse::recv, Misuse::recv_init, Misuse::rsend,
        Misuse::send, Misuse::send_init, Misuse::sendrecv, Misuse::ssend, Misuse::ssend_init;

    // communicators
    /// A communicator of these ranks, with separate messages. Collective.
    Communicator dup() const;
    /// One communicator for each colour; empty for ranks without a colour. Collective.
    std::optional<Communicator> split(std::optional<int> colour, SplitOptions options = {}) const;
    // Refused in words.
    template <class C>
    std::optional<Communicator> split(const C&, std::integral auto) const
    {
        static_assert(detail::always_false<C>, "tutti: the key is an option: split(colour, {.key = 0})");
        return {};
    }
    /// The ranks of this node. Collective.
    Communicator split_by_node() const;
    /// A communicator of `ranks` of this one, in that order. Only those ranks call it, all with the same
    /// list. `tag` separates concurrent creations.
    Communicator create_from(std::span<const int> ranks, int tag = 0) const;
    Communicator create_from(std::initializer_list<int> ranks, int tag = 0) const
    {
        return create_from(std::span(ranks.begin(), ranks.size()), tag);
    }
    /// A grid of the first ranks, as many as the product of dims; empty for the other ranks. Ranks keep their
    /// numbers unless the options allow reordering. A dimension whose period is true is periodic; without
    /// `periods` no dimension is. Collective. Throws ErrorCode::invalid_argument, before anything is sent, if
    /// dims do not fit (tutti::balanced_dims finds some). Declared in tutti/topologies.hpp.
    std::optional<CartesianCommunicator> create_cartesian(std::vector<int> dims,
                                                          std::vector<bool> periods = {},
                                                          CartesianOptions options = {}) const;
    /// A communicator of these ranks, with the neighbours that each rank gives: its sources and its
    /// destinations. Both ends of an edge must name it, equally often. Collective. Throws
    /// ErrorCode::invalid_rank for neighbours that are no ranks, ErrorCode::invalid_argument if ranks
    /// contradict each other. Declared in tutti/topologies.hpp.
    GraphCommunicator create_graph(std::span<const int> sources, std::span<const int> destinations) const;
    GraphCommunicator create_graph(std::initializer_list<int> sources,
                                   std::initializer_list<int> destinations) const;
    /// Rank in the job of a rank of this communicator.
    int world_rank(int rank) const;

    /// True for two handles of the same communicator.
    friend bool operator==(const Communicator& a, const Communicator& b) noexcept
    {
        return a.state_ == b.state_;
    }

    using SendMode = detail::SendMode;

private:
    using Form = detail::Form;

    friend struct CommunicatorAccess;
    friend class Message;
    explicit Communicator(std::shared_ptr<detail::CommunicatorState> state) noexcept;

    template <class B>
    auto isend_as(B&& buffer, int destination, int tag, SendMode mode) const
    {
        if constexpr (std::is_lvalue_reference_v<B> || detail::Typed<B>) {
            return isend_view(detail::const_view(buffer), destination, tag, mode);
        } else {
            auto owned = std::make_shared<std::remove_cvref_t<B>>(std::move(buffer));
            Request request = isend_view(detail::const_view(*owned), destination, tag, mode);
            return own(std::move(request), std::move(owned));
        }
    }
    template <class B>
    static OwningRequest<B> own(Request request, std::shared_ptr<B> buffer)
    {
        keep(request, buffer);
        return OwningRequest<B>(std::move(request), std::move(buffer));
    }
    /// Keeps `what` alive until an active request is complete.
    static void keep(Request& request, std::shared_ptr<void> what) noexcept;
    void send_view(const detail::ConstView& view, int destination, int tag, SendMode mode) const;
    Request isend_view(const detail::ConstView& view, int destination, int tag, SendMode mode) const;
    Status recv_view(const detail::View& view, int source, int tag) const;
    Request irecv_view(const detail::View& view, int source, int tag) const;
    PersistentRequest send_init_view(detail::ConstView view, int destination, int tag, SendMode mode) const;
    PersistentRequest recv_init_view(detail::View view, int source, int tag) const;

    int rank_ = 0;
    int size_ = 0;
};

}  // namespace tutti
