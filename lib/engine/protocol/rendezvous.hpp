// Rendezvous: first only the envelope travels; the data follows once a receive has matched. The receiver
// reads it in place (read_in_place.cpp) or pulls it from the sender's memory (pull.cpp), or the sender
// streams it (stream.cpp).
#pragma once

#include "lib/engine/protocol/frames.hpp"
#include "lib/engine/protocol/id_table.hpp"
#include "lib/engine/protocol/peers.hpp"

namespace tutti::protocol {

class Rendezvous {
public:
    explicit Rendezvous(Peers& peers) noexcept : peers_(peers) {}

    // The sender's half
    /// The protocol of a message that may take either. Registers its memory for a pull.
    static MessageProtocol pull_or_stream(SendRequest& request);
    /// Sends the envelope and, if the receiver shall read it, the data's place. False: try again later.
    bool offer(SendRequest& request);
    /// Sends the data of a matched message. False: try again with the rest.
    static bool stream(SendRequest& request);
    /// The send needs no further answer, and the peer has finished reading.
    void answered(SendRequest& request) noexcept;
    void on_cts(Peer& from, const CtsHeader& cts);
    void on_fin(Peer& from, const FinHeader& fin);
    /// Calls visit(const SendRequest&) for each send whose receiver has not answered.
    template <class Visit>
    void for_each_offered(Visit&& visit)
    {
        awaiting_cts_.for_each([&](const SendRequest& send) { visit(send); });
    }

    // The receiver's half
    /// Gets the data of a matched message, of which `received_bytes` are in their place.
    void fetch(ReceiveRequest& request, const Offer& offer, std::size_t received_bytes);
    /// The receive that a data frame is for; nullptr if none asked for it.
    ReceiveRequest* data_receiver(const Peer& from, const DataHeader& header,
                                  std::size_t payload_bytes) const noexcept;
    void on_data(Peer& from, const DataHeader& header, std::span<const std::byte> payload);
    /// The next `bytes` of an offered message are in their place. May finish the request.
    void data_arrived(ReceiveRequest& request, std::size_t bytes);
    void forget(ReceiveRequest& request) noexcept { awaiting_data_.remove(request); }
    /// Returns memory that a receive has shown in place: its `sender` may change it afterwards.
    void end_view(int sender, std::uint64_t sender_id) { end_view(peers_.peer(sender), sender_id); }
    void end_view(Peer& sender, std::uint64_t sender_id, std::uint64_t advice = 0);
    /// Copies `from`, memory of this rank, to the buffer of `request`, which has the same length and is not
    /// posted. The rank request.peer_rank waits for this rank and may copy a part.
    void copy_own(ReceiveRequest& request, std::span<const std::byte> from);

    void lose(Peer& lost);

private:
    SendRequest& answer(Peer& from, Lead lead, std::uint64_t sender_id, std::size_t wanted_bytes,
                        std::string_view wrong);
    void complete(ReceiveRequest& request, Peer& from);
    void fail(ReceiveRequest& request, Peer& from, ErrorCode code);
    // read_in_place.cpp
    bool take_own(ReceiveRequest& request, Peer& self);
    bool take_in_place(ReceiveRequest& request, Peer& from, const transport::RemoteRegion& region);
    // pull.cpp
    bool try_pull(ReceiveRequest& request, Peer& from, const transport::RemoteRegion& region);
    void pulled(ReceiveRequest& request, ErrorCode result);
    static void begin_timing(ReceiveRequest& request, const Peer& from, const Offer& offer) noexcept;
    static std::uint64_t end_timing(Peer& from, const ReceiveRequest& request, MessageProtocol protocol);
    static std::uint64_t advice(const Peer& from, const ReceiveRequest& request) noexcept;
    // stream.cpp
    std::size_t early_bytes(const SendRequest& request) const noexcept;
    void ask_for_data(ReceiveRequest& request, Peer& from, const Offer& offer);

    Peers& peers_;
    IdTable<SendRequest> awaiting_cts_;
    IdTable<ReceiveRequest> awaiting_data_;
};

}  // namespace tutti::protocol
