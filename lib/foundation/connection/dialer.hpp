// The way to one peer: its addresses are tried, the likeliest first, until one leads to it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/foundation/connection/pending_connection.hpp"
#include "lib/foundation/connection/socket.hpp"

namespace tutti::connection {

/// Each address has a share of the timeout for itself; then the next is tried beside it. One that has
/// connected is kept also when it says nothing: the peer may compute, and answers when it can. Whoever hangs
/// up without saying anything wrong is dialled again.
class Dialer {
public:
    using State = PendingConnection::State;

    /// `options` and `poller` outlive it. `head_start_ns`, where it is not 0: until the next address is tried
    /// beside one, which then may take the whole timeout.
    Dialer(const Options& options, Poller& poller, security::Identity peer, std::uint16_t port,
           std::vector<network::Candidate> candidates, std::int64_t head_start_ns = 0);
    ~Dialer();
    Dialer(const Dialer&) = delete;
    Dialer& operator=(const Dialer&) = delete;

    security::Identity peer() const noexcept { return peer_; }
    /// No address is left.
    bool has_failed() const noexcept { return attempts_.empty() && next_ == candidates_.size(); }
    /// A connection that has come so far; nullptr: there is none.
    PendingConnection* in(State state) noexcept;
    /// Gives up the connection, which another owner watches from now on.
    std::unique_ptr<PendingConnection> release(PendingConnection& connection);
    /// This connection is not the one; others may be.
    void forget(PendingConnection& connection) noexcept;

    /// A connection has an event, or has failed. One that is not of this dialer, or no more, is ignored.
    void advance(PendingConnection& connection, std::int64_t now_ns);
    /// Goes on where an address has had its time. When it wants to be asked again; 0: not.
    std::int64_t look(std::int64_t now_ns);
    /// Does both, with a poller that watches nothing else, until a connection is proved; nullptr: none is
    /// before this time of base::now_ns().
    std::unique_ptr<PendingConnection> wait(std::int64_t deadline_ns);

    /// The addresses that have connected and said nothing for their share of time, for messages. Empty: there
    /// is none.
    std::string mute(std::int64_t now_ns) const;
    /// The same, where the peer has answered at once at another address: they lead to somebody else.
    std::string mute_beside(const PendingConnection& connection, std::int64_t now_ns) const;
    /// Whether at every address somebody said that nothing listens there, once all have failed.
    bool was_refused() const noexcept { return refused_ != 0 && refused_ == said_.size(); }
    /// What became of each address; none has answered of which nothing is known.
    std::string failure() const;

private:
    // An address that is being tried.
    struct Attempt {
        std::size_t candidate;
        std::unique_ptr<PendingConnection> connection;  // nullptr: a pause, before it connects anew
        bool connected;
        bool greeted;              // a hello has been said there
        std::int64_t touched_ns;   // when anything last happened
        std::int64_t deadline_ns;  // its share of time ends, or, without a connection, the pause
        std::int64_t left_ns;      // since when the other end closes each connection soon; 0: it does not
    };

    void start_next(std::int64_t now_ns);
    bool connect(Attempt& attempt, std::int64_t now_ns);
    void was_left(Attempt& attempt, const std::string& why, std::int64_t now_ns);
    void give_up(Attempt& attempt, const std::string& why, std::int64_t now_ns);
    void note(const Attempt& attempt, const std::string& why);
    void hang_up(Attempt& attempt) noexcept;
    std::vector<Attempt>::iterator attempt_of(const PendingConnection& connection) noexcept;

    const Options& options_;
    Poller& poller_;
    const security::Identity peer_;
    const std::uint16_t port_;
    const std::vector<network::Candidate> candidates_;
    std::size_t next_ = 0;   // of these
    std::int64_t share_ns_;  // until an address that has not connected is given up
    std::int64_t head_start_ns_;
    std::int64_t next_ns_ = 0;  // when the next one is tried, whatever the others do
    std::vector<Attempt> attempts_;
    std::vector<std::string> said_;
    std::size_t refused_ = 0;  // of these
};

}  // namespace tutti::connection
