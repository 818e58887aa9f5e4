// All links of a rank, and one descriptor to sleep on: it is readable when a link, the fabric or a timer
// needs progress.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/foundation/connection/peer_connector.hpp"
#include "transports/ofi/link.hpp"
#include "transports/transport.hpp"

namespace tutti::transport::ofi {

/// Is called by Links::look() only. A Link stays valid until its ended() returns.
class LinkUser {
public:
    /// Whether a link with this rank is welcome: there is none yet, and the rank is not lost.
    virtual bool wants(int rank) = 0;
    virtual void linked(Link& link) = 0;
    virtual void take_message(Link& link, const LinkMessage& message) = 0;
    virtual void ended(Link& link) = 0;
    /// There is no way to the rank, or it has ended.
    virtual void unreachable(int rank, Loss loss) = 0;
    /// A connection from outside the job was dropped; `what` says from where and why.
    virtual void outsider(const std::string& what) = 0;

protected:
    ~LinkUser() = default;
};

class Links final : connection::PeerConnector::User {
public:
    /// Starts to listen. Throws ErrorCode::system. `user` outlives this object.
    Links(const security::Key& key, int rank, std::int64_t timeout_ns,
          connection::PeerConnector::Settings settings, LinkUser& user);

    /// Where this rank listens.
    const connection::Contact& contact() const noexcept { return connector_.contact(); }
    /// Connects; LinkUser gets the result. Throws when the hosts have no network in common.
    void connect(int peer, const connection::Contact& contact) { connector_.connect(peer, contact); }
    /// connect() only to see whether the peer is there.
    void look_for(int peer, const connection::Contact& contact) { connector_.look_for(peer, contact); }
    std::string silent_at(int peer) const { return connector_.silent_at(peer); }
    /// Sends as much as possible; the rest follows later.
    void send(Link& link, const LinkMessage& message);
    /// Ends the link without a call of the user.
    void drop(Link& link);
    /// Handles what is ready and calls the user. Does not block. Returns the number of events.
    std::size_t look();

    /// Readable when look() or the fabric has something to do.
    int descriptor() const noexcept { return poller_.fd(); }
    /// Watches a descriptor of the fabric for changes (edge triggered): events from before the last look()
    /// are not reported again.
    void watch_fabric(int descriptor);
    /// Makes descriptor() readable at this time or earlier; 0: no timer.
    void wake_at(std::int64_t time_ns) noexcept;
    /// Ends all links and stops listening, without a call of the user.
    void close() noexcept;

private:
    bool wants(int rank) override { return user_.wants(rank); }
    void connected(int rank, base::UniqueFd fd, std::string remote) override;
    void lost(int rank, std::string reason, bool may_have_left) override
    {
        user_.unreachable(rank, {std::move(reason), may_have_left});
    }
    void dropped(const std::string& remote, std::string_view why) override;
    void note(const std::string& text) override { user_.outsider(text); }
    void deliver(Link& link);

    LinkUser& user_;
    const int timeout_ms_;
    connection::Poller poller_;
    connection::PeerConnector connector_;
    connection::Watched fabric_{connection::Watched::Kind::owned};
    std::unordered_map<Link*, std::unique_ptr<Link>> links_;
    std::vector<Link*> touched_;                    // may have something to report
    std::vector<std::unique_ptr<Link>> old_links_;  // ended within a pass, whose events may still name them
};

}  // namespace tutti::transport::ofi
