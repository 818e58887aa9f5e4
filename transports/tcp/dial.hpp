// The way to one peer: its addresses are tried, one after the other, until one leads to it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/network/candidates.hpp"
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

class Dial {
public:
    enum class State {
        connecting,  // TCP has not connected
        meeting,     // it has: see meeting()
        failed       // every address has
    };

    Dial(const DialOptions& options, Poller& poller, Card card, std::vector<network::Candidate> candidates);
    ~Dial();
    Dial(const Dial&) = delete;
    Dial& operator=(const Dial&) = delete;

    int peer() const noexcept { return card_.rank; }
    State state() const noexcept { return state_; }
    Meeting& meeting() noexcept { return *meeting_; }
    /// Gives up the connection, which another owner watches from now on.
    std::unique_ptr<Meeting> release();

    /// Its connection has an event.
    void advance(std::int64_t now_ns);
    /// Goes on with the next address when this one has had its time. When it wants to be asked again; 0: not.
    std::int64_t look(std::int64_t now_ns);

    /// Whether at every address somebody said that nothing listens there, once all have failed.
    bool was_refused() const noexcept { return refused_ != 0 && refused_ == said_.size(); }
    /// What became of each address, once all have failed.
    std::string failure() const;

private:
    void start_next(std::int64_t now_ns);
    bool start(const network::Candidate& candidate);
    void failed(const std::string& why, std::int64_t now_ns);
    void drop() noexcept;

    const DialOptions& options_;
    Poller& poller_;
    Card card_;
    std::vector<network::Candidate> candidates_;
    std::size_t next_ = 0;
    std::int64_t time_for_one_ns_;
    std::int64_t deadline_ns_ = 0;  // of the present address, while connecting
    std::vector<std::string> said_;
    std::size_t refused_ = 0;  // of these
    int left_ = 0;             // times that the other end closed the connection before it knew who we are
    State state_ = State::connecting;
    std::unique_ptr<Meeting> meeting_;
};

}  // namespace tutti::transport::tcp
