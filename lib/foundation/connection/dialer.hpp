// Connects to one peer: tries its addresses, the likeliest first, until one leads to it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/foundation/connection/pending_connection.hpp"
#include "lib/foundation/connection/socket.hpp"

namespace tutti::connection {

/// Each address has a share of the timeout for itself; then the next one is tried in parallel. A connected
/// address is kept even if it is silent: the peer may compute, and answers when it can. An address that hangs
/// up without an error in the protocol is dialled again.
class Dialer {
public:
    using State = PendingConnection::State;

    /// `options` and `poller` outlive it. `head_start_ns`, if not 0, is the time until the next address is
    /// tried in parallel; then each may take the whole timeout.
    Dialer(const ConnectionOptions& options, Poller& poller, security::Identity peer, std::uint16_t port,
           std::vector<network::Candidate> candidates, std::int64_t head_start_ns = 0);
    ~Dialer();
    Dialer(const Dialer&) = delete;
    Dialer& operator=(const Dialer&) = delete;

    security::Identity peer() const noexcept { return peer_; }
    /// No address is left.
    bool has_failed() const noexcept { return attempts_.empty() && next_ == candidates_.size(); }
    /// A connection in this state; nullptr: there is none.
    PendingConnection* in(State state) noexcept;
    /// Gives the connection to another owner, which watches it from now on.
    std::unique_ptr<PendingConnection> release(PendingConnection& connection);
    /// Drops this connection; another one may lead to the peer.
    void forget(PendingConnection& connection) noexcept;

    /// A connection has an event, or has failed. One that this dialer does not have (any more) is ignored.
    void advance(PendingConnection& connection, std::int64_t now_ns);
    /// Continues where an address has used its time. Returns the time of the next call; 0: none is needed.
    std::int64_t look(std::int64_t now_ns);
    /// Calls advance() and look(), with a poller that watches nothing else, until a connection is proved;
    /// nullptr: none is proved by this time of base::now_ns().
    std::unique_ptr<PendingConnection> wait(std::int64_t deadline_ns);

    /// The addresses that have connected but were silent for their share of the time, for messages. Empty:
    /// none.
    std::string mute(std::int64_t now_ns) const;
    /// The silent addresses beside the one where the peer has answered: they lead to another process.
    std::string mute_beside(const PendingConnection& connection, std::int64_t now_ns) const;
    /// After all addresses have failed: whether each one answered that nothing listens there.
    bool was_refused() const noexcept { return refused_ != 0 && refused_ == said_.size(); }
    /// The result at each address; "no answer" where nothing is known.
    std::string failure() const;

private:
    // An address that is being tried.
    struct Attempt {
        std::size_t candidate;
        std::unique_ptr<PendingConnection> connection;  // nullptr: a pause before the next connect
        bool connected;
        bool greeted;              // a hello was sent there
        std::int64_t touched_ns;   // time of the last event
        std::int64_t deadline_ns;  // end of its share of time; without a connection, end of the pause
        std::int64_t left_ns;      // since when the other end closes each connection soon; 0: it does not
    };

    void start_next(std::int64_t now_ns);
    bool connect(Attempt& attempt, std::int64_t now_ns);
    void was_left(Attempt& attempt, const std::string& why, std::int64_t now_ns);
    void give_up(Attempt& attempt, const std::string& why, std::int64_t now_ns);
    void note(const Attempt& attempt, const std::string& why);
    void hang_up(Attempt& attempt) noexcept;
    std::vector<Attempt>::iterator attempt_of(const PendingConnection& connection) noexcept;

    const ConnectionOptions& options_;
    Poller& poller_;
    const security::Identity peer_;
    const std::uint16_t port_;
    const std::vector<network::Candidate> candidates_;
    std::size_t next_ = 0;   // in candidates_
    std::int64_t share_ns_;  // until an address that has not connected is given up
    std::int64_t head_start_ns_;
    std::int64_t next_ns_ = 0;  // when the next one is tried in parallel
    std::vector<Attempt> attempts_;
    std::vector<std::string> said_;
    std::size_t refused_ = 0;  // how many of said_ are refusals
};

}  // namespace tutti::connection
