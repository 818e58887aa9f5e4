// Accepts connections: proved ones are handed over, others are dropped.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/foundation/connection/pending_connection.hpp"
#include "lib/foundation/connection/socket.hpp"

namespace tutti::connection {

/// Accepts connections and keeps them pending until they have proved who they are. Their number and their
/// time are bounded, so that those from outside the job cannot keep out others.
class Listener {
public:
    /// Is called from advance(), accept(), look() and serve() only.
    class User {
    public:
        /// The connection has proved who it is, or has received a verdict since. Take it, drop it, or leave
        /// it.
        virtual void arrived(PendingConnection& pending) = 0;
        /// A connection worth a message is dropped: its address and port, and for example "it does not know
        /// the job's key".
        virtual void dropped(const std::string& remote, std::string_view why) = 0;
        /// No file descriptor is left for a connection; it is accepted when there is one.
        virtual void out_of_files(const std::string&) {}

    protected:
        ~User() = default;
    };
    struct Limits {
        std::size_t outsiders = 64;             // that have not sent hello
        std::size_t alike = 2;                  // that claim the same identity
        std::int64_t patience_with_hello = 10;  // times the timeout: a rank may compute between two steps
    };

    /// Listens as listen_at() does, on the chosen addresses; connections to other addresses are dropped.
    /// `options`, `poller` and `user` outlive it.
    Listener(const ConnectionOptions& options, Poller& poller, std::vector<network::LocalAddress> addresses,
             Limits limits, User& user);

    std::uint16_t port() const noexcept { return socket_.port; }
    bool has_pending() const noexcept { return !pending_.empty(); }

    /// Call it when the poller has an event of Watched::Kind::listener, after all other events of a pass: it
    /// may end objects that they name.
    void accept();
    /// The connection has an event. Returns whether anything happened.
    bool advance(PendingConnection& pending);
    /// Drops pending connections whose time is over. Returns the time of the next call; kNever: none is
    /// needed.
    std::int64_t look(std::int64_t now_ns);
    static constexpr std::int64_t kNever = INT64_MAX;

    /// Does all of that for a poller that watches only this listener, and objects that its user ignores.
    void serve(std::span<const epoll_event> events);

    /// Gives the connection to another owner, which watches it from now on.
    std::unique_ptr<PendingConnection> take(PendingConnection& pending);
    /// Empty `why`: no message.
    void drop(PendingConnection& pending, std::string_view why);
    /// Stops listening, and drops all pending connections.
    void close() noexcept;

private:
    struct Pending {
        std::unique_ptr<PendingConnection> connection;
        std::int64_t looks = 0;  // at it, since it came
    };

    void add(base::UniqueFd fd);
    void limit();

    const ConnectionOptions& options_;
    Poller& poller_;
    const std::vector<network::LocalAddress> addresses_;
    const Limits limits_;
    User& user_;
    ListeningSocket socket_;
    Watched watched_{Watched::Kind::listener};
    std::vector<Pending> pending_;      // in order of arrival
    std::int64_t next_look_ns_ = 0;     // while there are pending connections
    std::int64_t accept_again_ns_ = 0;  // no file descriptor was left for a connection; 0: there is one
};

}  // namespace tutti::connection
