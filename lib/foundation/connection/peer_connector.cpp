#include "lib/foundation/connection/peer_connector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lib/foundation/base/clock.hpp"
#include "tutti/error.hpp"

namespace tutti::connection {

using State = PendingConnection::State;

// Pending connections of one rank: it may dial each of this rank's addresses, and both may dial at once.
PeerConnector::PeerConnector(ConnectionOptions options, Settings settings, Poller& poller, User& user)
    : options_(std::move(options)),
      settings_(std::move(settings)),
      rank_(static_cast<int>(options_.self.number)),
      poller_(poller),
      user_(user),
      listener_(options_, poller, settings_.addresses,
                {.outsiders = settings_.most_outsiders, .alike = settings_.addresses.size() + 1}, *this),
      contact_{
          rank_, listener_.port(), settings_.host, {settings_.addresses.begin(), settings_.addresses.end()}}
{
}

void PeerConnector::connect(int rank, const Contact& contact)
{
    Peer& to = peers_[rank];
    to.host = contact.host;
    to.only_looked = false;
    if (user_.wants(rank) && to.dialer == nullptr)
        dial(rank, contact);
}

void PeerConnector::look_for(int rank, const Contact& contact)
{
    Peer& to = peers_[rank];
    if (to.dialer != nullptr || to.called_ns != 0)
        return;
    try {
        to.host = contact.host;
        dial(rank, contact);
        to.only_looked = true;
    } catch (const Error&) {
        // No network leads to the rank; it may still be alive.
    }
}

void PeerConnector::dial(int rank, const Contact& contact)
{
    auto candidates = network::candidates(settings_.addresses, contact.addresses);
    if (candidates.empty())
        throw Error(ErrorCode::peer_lost, "connect",
                    fmt::format("host {} ({}) and rank {} on host {} ({}) have no network in common; name "
                                "one in TUTTI_INTERFACE",
                                settings_.host, network::describe(contact_.addresses), rank, contact.host,
                                network::describe(contact.addresses)),
                    rank);
    Peer& to = peers_[rank];
    to.dialer =
        std::make_unique<Dialer>(options_, poller_, rank_identity(rank), contact.port, std::move(candidates));
    ++dialing_;
    if (to.dialer->has_failed())
        poller_.wake_at(1);
}

void PeerConnector::forget(int rank) noexcept
{
    const auto found = peers_.find(rank);
    if (found == peers_.end())
        return;
    found->second.called_ns = 0;
    end_dialer(found->second);
}

void PeerConnector::end_dialer(Peer& of) noexcept
{
    if (of.dialer == nullptr)
        return;
    --dialing_;
    old_dialers_.push_back(std::move(of.dialer));
}

Dialer* PeerConnector::dialer_of(int rank) const noexcept
{
    const auto found = peers_.find(rank);
    return found != peers_.end() ? found->second.dialer.get() : nullptr;
}

std::string PeerConnector::host_of(int rank) const
{
    const auto found = peers_.find(rank);
    return found != peers_.end() ? found->second.host : std::string();
}

std::string PeerConnector::silent_at(int rank) const
{
    const Dialer* const dialer = dialer_of(rank);
    return dialer != nullptr ? dialer->mute(base::now_ns()) : std::string();
}

std::size_t PeerConnector::on_event(Watched& watched)
{
    if (watched.kind != Watched::Kind::pending) {
        connections_came_ = connections_came_ || watched.kind == Watched::Kind::listener;
        alarm_ = alarm_ || watched.kind == Watched::Kind::alarm;
        return 0;
    }
    auto& connection = static_cast<PendingConnection&>(watched);
    Dialer* const dialer = connection.dialer();
    if (dialer == nullptr)
        return listener_.advance(connection) ? 1 : 0;
    const int rank = static_cast<int>(dialer->peer().number);
    if (dialer_of(rank) != dialer)
        return 0;  // it ended in this pass
    dialer->advance(connection, base::now_ns());
    settle(rank);
    return 1;
}

bool PeerConnector::look()
{
    if (std::exchange(connections_came_, false))
        listener_.accept();
    const bool alarm = std::exchange(alarm_, false);
    if (alarm) {
        poller_.clear_alarm();
        const std::int64_t now_ns = base::now_ns();
        const std::int64_t next_ns = std::min(listener_.look(now_ns), look_at_dialers(now_ns));
        if (next_ns != Listener::kNever)
            poller_.wake_at(next_ns);
    }
    old_dialers_.clear();
    return alarm;
}

void PeerConnector::arrived(PendingConnection& pending)
{
    const security::Identity who = pending.peer();
    if (who.kind != security::Identity::Kind::rank ||
        who.number >= static_cast<std::uint32_t>(settings_.ranks))
        return listener_.drop(pending, "it is no rank of this job");
    const int rank = static_cast<int>(who.number);
    if (pending.state() == State::proved) {
        if (rank_ < rank)
            pending.decide(user_.wants(rank) ? Verdict::accepted : Verdict::duplicate);
        else
            pending.advance();  // its verdict follows its proof
    }
    if (pending.state() == State::accepted && user_.wants(rank))
        hand_over(rank, *listener_.take(pending));
    else if (pending.state() != State::proved)
        listener_.drop(pending, "");
}

void PeerConnector::out_of_files(const std::string& words)
{
    user_.note("cannot take another connection: " + words);
}

void PeerConnector::settle(int rank)
{
    Peer& to = peers_[rank];
    Dialer& dialer = *to.dialer;
    const std::int64_t now_ns = base::now_ns();
    PendingConnection* const proved = dialer.in(State::proved);
    if (proved != nullptr && rank_ < rank) {
        proved->decide(Verdict::accepted);  // another accepted one would have ended this dialer
        dialer.advance(*proved, now_ns);
    }
    if (PendingConnection* const accepted = dialer.in(State::accepted)) {
        if (const std::string mute = dialer.mute_beside(*accepted, now_ns); !mute.empty())
            user_.note(
                fmt::format("somebody else than rank {} (host {}) took a connection and said nothing, "
                            "which cost time: {}",
                            rank, to.host, mute));
        return hand_over(rank, *dialer.release(*accepted));
    }
    if (PendingConnection* const duplicate = dialer.in(State::duplicate)) {
        dialer.forget(*duplicate);
        if (dialer.in(State::proved) != nullptr)
            return;  // that one is the connection
        end_dialer(to);
        to.called_ns = now_ns;
        poller_.wake_at(now_ns + options_.timeout_ns);
        return;
    }
    if (!dialer.has_failed())
        return;
    const std::string failure = dialer.failure();
    const bool refused = dialer.was_refused();
    end_dialer(to);
    if (!to.only_looked)
        user_.lost(rank,
                   fmt::format("host {} did not reach host {}: {}; to use another network, name it in "
                               "TUTTI_INTERFACE",
                               settings_.host, to.host, failure),
                   false);
    else if (refused)
        user_.lost(
            rank,
            fmt::format("it has left the job, or its process on host {} has ended ({})", to.host, failure),
            true);
}

void PeerConnector::hand_over(int rank, PendingConnection& connection)
{
    forget(rank);
    user_.connected(rank, connection.release(), connection.remote());
}

std::int64_t PeerConnector::look_at_dialers(std::int64_t now_ns)
{
    std::int64_t next_ns = Listener::kNever;
    for (auto& [rank, to] : peers_) {
        if (to.dialer != nullptr) {
            const std::int64_t deadline_ns = to.dialer->look(now_ns);
            if (to.dialer->has_failed())
                settle(rank);
            else if (deadline_ns != 0)
                next_ns = std::min(next_ns, deadline_ns);
        } else if (to.called_ns != 0) {
            const std::int64_t deadline_ns = to.called_ns + options_.timeout_ns;
            if (now_ns < deadline_ns) {
                next_ns = std::min(next_ns, deadline_ns);
                continue;
            }
            to.called_ns = 0;
            user_.lost(rank, fmt::format("host {} chose to make the connection itself, but did not", to.host),
                       false);
        }
    }
    return next_ns;
}

}  // namespace tutti::connection
