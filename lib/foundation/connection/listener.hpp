// Who comes: let in once proved, dropped otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/foundation/connection/pending_connection.hpp"
#include "lib/foundation/connection/socket.hpp"

namespace tutti::connection {

/// Accepts connections and keeps them, as guests, until they have proved who they are. Guests are bounded in
/// number and time, so that strangers keep nobody out.
class Listener {
public:
    /// Is called from within advance(), accept(), look() and serve() only.
    class User {
    public:
        /// The guest has proved who it is, or has got a verdict since. To be taken, dropped, or left alone.
        virtual void arrived(PendingConnection& guest) = 0;
        /// One is dropped that is worth telling of: its address and port, and "it does not know the job's
        /// key".
        virtual void dropped(const std::string& remote, std::string_view why) = 0;
        /// There is no file left for a guest; it is accepted once there is.
        virtual void out_of_files(const std::string&) {}

    protected:
        ~User() = default;
    };
    struct Limits {
        std::size_t strangers = 64;             // that have not said hello
        std::size_t alike = 2;                  // that say they are the same
        std::int64_t patience_with_hello = 10;  // times the timeout: a rank may compute between two steps
    };

    /// Listens as listen_at() does, on those that were chosen; whoever comes to another address is dropped.
    /// `options`, `poller` and `user` outlive it.
    Listener(const Options& options, Poller& poller, std::vector<network::LocalAddress> addresses,
             Limits limits, User& user);

    std::uint16_t port() const noexcept { return socket_.port; }
    bool has_guests() const noexcept { return !guests_.empty(); }

    /// The poller has an event of Watched::Kind::listener. Behind all other events of a pass: this may end
    /// what one of them names.
    void accept();
    /// The guest has an event. Returns whether anything happened.
    bool advance(PendingConnection& guest);
    /// Drops those whose time is over. When it wants to be asked again; kNever: not.
    std::int64_t look(std::int64_t now_ns);
    static constexpr std::int64_t kNever = INT64_MAX;

    /// Does all of that, where the poller watches nothing but this listener and what its user ignores.
    void serve(std::span<const epoll_event> events);

    /// Gives up the guest, which another owner watches from now on.
    std::unique_ptr<PendingConnection> take(PendingConnection& guest);
    /// Empty `why`: nothing worth telling.
    void drop(PendingConnection& guest, std::string_view why);
    /// Listens no more, and drops all guests.
    void close() noexcept;

private:
    struct Guest {
        std::unique_ptr<PendingConnection> connection;
        std::int64_t since_ns;
    };

    void add(base::UniqueFd fd);
    void limit();

    const Options& options_;
    Poller& poller_;
    const std::vector<network::LocalAddress> addresses_;
    const Limits limits_;
    User& user_;
    ListeningSocket socket_;
    Watched watched_{Watched::Kind::listener};
    std::vector<Guest> guests_;         // in the order in which they came
    std::int64_t accept_again_ns_ = 0;  // there was no file left for a guest; 0: there is
};

}  // namespace tutti::connection
