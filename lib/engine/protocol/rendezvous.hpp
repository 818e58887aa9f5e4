// Rendezvous: of a message only the envelope travels at first (rts), and its data once a receive has matched.
// The receiver reads it in place or pulls it out of the sender's memory (fin), or the sender streams it (cts,
// data).
#pragma once

#include "lib/engine/protocol/frames.hpp"
#include "lib/engine/protocol/id_table.hpp"
#include "lib/engine/protocol/peers.hpp"

namespace tutti::protocol {

/// Below this a remote read costs more than the frames.
inline constexpr std::size_t kPullFromBytes = 4096;

class Rendezvous {
public:
    explicit Rendezvous(Peers& peers) noexcept : peers_(peers) {}

    // The sender's half
    /// Sends the envelope, with where the data lies for a receiver that can read it there. False: try again
    /// later.
    bool offer(SendRequest& request);
    /// Sends the data of a matched message. False: the rest must be tried again.
    static bool stream(SendRequest& request);
    /// No answer to the envelope is awaited any more, and the peer reads no more.
    void answered(SendRequest& request) noexcept;
    void on_cts(Peer& from, const CtsHeader& cts);
    void on_fin(Peer& from, const FinHeader& fin)
    {
        answer(from, fin.sender_id, 0, "an end of no message of ours").settle();
    }
    /// Calls visit(envelope, peer's rank) for each send whose receiver has not answered.
    template <class Visit>
    void for_each_offered(Visit&& visit)
    {
        awaiting_cts_.for_each([&](SendRequest& send) { visit(send.envelope, send.peer_rank); });
    }

    // The receiver's half
    /// Gets the data of the message that has matched, of that id at the sender. `region`: where it lies.
    void fetch(ReceiveRequest& request, std::uint64_t sender_id,
               const std::optional<transport::RemoteRegion>& region);
    /// The receive that a data frame is for. nullptr: it is none that we have asked for.
    ReceiveRequest* data_receiver(const Peer& from, const DataHeader& header,
                                  std::size_t payload_bytes) const noexcept;
    void on_data(Peer& from, const DataHeader& header, std::span<const std::byte> payload);
    void data_arrived(ReceiveRequest& request, std::size_t bytes);
    void forget(ReceiveRequest& request) noexcept { awaiting_data_.remove(request); }
    /// Gives the memory back that a receive in place has shown: its `sender` may change it.
    void end_view(int sender, std::uint64_t sender_id) { end_view(peers_.peer(sender), sender_id); }
    void end_view(Peer& sender, std::uint64_t sender_id);
    /// Copies `from`, memory of this rank, to the buffer of `request`, which is as long and is posted
    /// nowhere. request.peer_rank, who waits for this rank, may have a part in it.
    void copy_own(ReceiveRequest& request, std::span<const std::byte> from);

    void lose(Peer& lost);

private:
    static bool lend(SendRequest& request);
    SendRequest& answer(Peer& from, std::uint64_t sender_id, std::size_t wanted_bytes,
                        std::string_view wrong);
    bool take_in_place(ReceiveRequest& request, Peer& from, const transport::RemoteRegion& region);
    bool try_pull(ReceiveRequest& request, Peer& from, const transport::RemoteRegion& region);
    void pulled(ReceiveRequest& request, ErrorCode result);

    Peers& peers_;
    IdTable<SendRequest> awaiting_cts_;
    IdTable<ReceiveRequest> awaiting_data_;
};

}  // namespace tutti::protocol
