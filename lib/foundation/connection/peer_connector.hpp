// The connections between the ranks of a job: one for each pair, whichever of the two dials, or both.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/foundation/connection/contact.hpp"
#include "lib/foundation/connection/dialer.hpp"
#include "lib/foundation/connection/listener.hpp"

namespace tutti::connection {

/// Listens, dials, and hands over each connection that both ends have proved and agreed on. If both have
/// dialled, the lower rank decides which connection stays, by a byte behind the handshake.
class PeerConnector final : Listener::User {
public:
    /// Is called from on_event() and look() only.
    class User {
    public:
        /// Whether a connection with this rank is welcome: there is none yet, and the rank is not lost.
        virtual bool wants(int rank) = 0;
        /// The pair's connection, with the address and port of its other end.
        virtual void connected(int rank, base::UniqueFd fd, std::string remote) = 0;
        /// There is no way to the rank, or it has ended. `may_have_left`: perhaps it has left the job in good
        /// order.
        virtual void lost(int rank, std::string reason, bool may_have_left) = 0;
        /// A connection from outside the job was dropped.
        virtual void dropped(const std::string& remote, std::string_view why) = 0;
        /// A text for one message line.
        virtual void note(const std::string& text) = 0;

    protected:
        ~User() = default;
    };
    struct Settings {
        int ranks;                                     // in the job
        std::string host;                              // the name of this rank's host, for messages
        std::vector<network::LocalAddress> addresses;  // that were chosen
        std::size_t most_outsiders = 64;               // silent pending connections at a time
    };

    /// Starts to listen. `options` are this rank's. `poller` and `user` outlive it. Throws tutti::Error.
    PeerConnector(ConnectionOptions options, Settings settings, Poller& poller, User& user);

    const Contact& contact() const noexcept { return contact_; }
    /// Dials, unless that is under way. Throws when the hosts have no network in common.
    void connect(int rank, const Contact& contact);
    /// connect() only to see whether the rank is there: if no address leads to it, nothing is known and
    /// nothing is reported.
    void look_for(int rank, const Contact& contact);
    /// Stops dialling: the rank is lost, or has left.
    void forget(int rank) noexcept;
    /// The name of the rank's host; empty: unknown.
    std::string host_of(int rank) const;
    /// The addresses of a rank that have connected but were silent for long; empty: none.
    std::string silent_at(int rank) const;

    /// Whether no rank is being dialled, and no connection is pending.
    bool is_idle() const noexcept { return dialing_ == 0 && !listener_.has_pending(); }
    /// The poller has an event that is not Watched::Kind::owned. Returns the number of events handled.
    std::size_t on_event(Watched& watched);
    /// Call it after all events of a pass: accepts pending connections, and ends what takes too long if the
    /// alarm has gone off. Returns whether it has.
    bool look();

    /// Stops listening, and drops all pending connections.
    void close_port() noexcept { listener_.close(); }

private:
    struct Peer {
        std::string host;  // empty: unknown
        std::unique_ptr<Dialer> dialer;
        bool only_looked = false;    // nothing is to be sent yet
        std::int64_t called_ns = 0;  // since when the other end's connection is awaited, if it chose that one
    };

    void arrived(PendingConnection& pending) override;
    void dropped(const std::string& remote, std::string_view why) override { user_.dropped(remote, why); }
    void out_of_files(const std::string& words) override;

    void dial(int rank, const Contact& contact);
    void settle(int rank);
    void hand_over(int rank, PendingConnection& connection);
    Dialer* dialer_of(int rank) const noexcept;
    void end_dialer(Peer& of) noexcept;
    std::int64_t look_at_dialers(std::int64_t now_ns);

    const ConnectionOptions options_;
    const Settings settings_;
    const int rank_;
    Poller& poller_;
    User& user_;
    Listener listener_;
    const Contact contact_;
    std::map<int, Peer> peers_;  // all that were ever dialled, or were to be
    std::size_t dialing_ = 0;
    std::vector<std::unique_ptr<Dialer>> old_dialers_;  // ended in a pass, whose events may name them
    bool connections_came_ = false;
    bool alarm_ = false;
};

}  // namespace tutti::connection
