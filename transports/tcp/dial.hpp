// The way to one peer: its addresses are tried, the likeliest first, until one leads to it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/foundation/network/candidates.hpp"
#include "transports/tcp/card.hpp"
#include "transports/tcp/meeting.hpp"
#include "transports/tcp/socket.hpp"

namespace tutti::transport::tcp {

/// What all dials of a rank have in common.
struct DialOptions {
    int rank;
    const security::Key* key;
    SocketOptions socket;
};

/// Each address has a share of the timeout for itself; then the next is tried beside it. One that has
/// connected is kept also when it says nothing: the peer may compute, and answers when it next calls Tutti.
class Dial {
public:
    Dial(const DialOptions& options, Poller& poller, Card card, std::vector<network::Candidate> candidates);
    ~Dial();
    Dial(const Dial&) = delete;
    Dial& operator=(const Dial&) = delete;

    int peer() const noexcept { return card_.rank; }
    /// No address is left.
    bool has_failed() const noexcept { return attempts_.empty() && next_ == candidates_.size(); }
    /// A connection that has come so far; nullptr: there is none.
    Meeting* in(Meeting::State state) noexcept;
    /// Gives up the connection, which another owner watches from now on.
    std::unique_ptr<Meeting> release(Meeting& meeting);
    /// This connection is not the one; others may be.
    void forget(Meeting& meeting) noexcept;

    /// A connection has an event, or has failed. One that is not of this dial, or no more, is ignored.
    void advance(Meeting& meeting, std::int64_t now_ns);
    /// Goes on where an address has had its time. When it wants to be asked again; 0: not.
    std::int64_t look(std::int64_t now_ns);

    /// The addresses that have connected and said nothing for their share of time, for messages. Empty: there
    /// is none.
    std::string mute(std::int64_t now_ns) const;
    /// The same, where the peer has answered at once at another address: they lead to somebody else.
    std::string mute_beside(const Meeting& meeting, std::int64_t now_ns) const;
    /// Whether at every address somebody said that nothing listens there, once all have failed.
    bool was_refused() const noexcept { return refused_ != 0 && refused_ == said_.size(); }
    /// What became of each address, once all have failed.
    std::string failure() const;

private:
    // An address that is being tried.
    struct Attempt {
        std::size_t candidate;
        std::unique_ptr<Meeting> meeting;  // nullptr: a pause, before it connects anew
        bool connected;
        std::int64_t touched_ns;   // when anything last happened
        std::int64_t deadline_ns;  // its share of time ends, or, without a meeting, the pause
        std::int64_t left_ns;      // since when the other end closes each connection soon; 0: it does not
    };

    std::int64_t timeout_ns() const noexcept { return options_.socket.timeout.count() * 1'000'000; }
    void start_next(std::int64_t now_ns);
    bool connect(Attempt& attempt, std::int64_t now_ns);
    void was_left(Attempt& attempt, const std::string& why, std::int64_t now_ns);
    void give_up(Attempt& attempt, const std::string& why, std::int64_t now_ns);
    void note(const Attempt& attempt, const std::string& why);
    void hang_up(Attempt& attempt) noexcept;
    std::vector<Attempt>::iterator attempt_of(const Meeting& meeting) noexcept;
    bool is_mute(const Attempt& attempt, std::int64_t now_ns) const noexcept;

    const DialOptions& options_;
    Poller& poller_;
    Card card_;
    std::vector<network::Candidate> candidates_;
    std::size_t next_ = 0;  // of these
    std::int64_t share_ns_;
    std::int64_t next_ns_ = 0;  // when that one is tried, whatever the others do
    std::vector<Attempt> attempts_;
    std::vector<std::string> said_;
    std::size_t refused_ = 0;  // of these
};

}  // namespace tutti::transport::tcp
