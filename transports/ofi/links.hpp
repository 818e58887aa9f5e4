// All links of a rank, and what it sleeps on: one descriptor that is readable when a link, the fabric or a
// timer asks for progress.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/foundation/connection/peer_connector.hpp"
#include "transports/ofi/link.hpp"

namespace tutti::transport::ofi {

/// Hears of links, from within Links::look() only. A Link stays valid until ended() of it returns.
class LinkUser {
public:
    /// Whether a link with this rank is welcome: there is none, and the rank is not lost.
    virtual bool wants(int rank) = 0;
    virtual void linked(Link& link) = 0;
    virtual void heard(Link& link, const LinkMessage& message) = 0;
    virtual void ended(Link& link) = 0;
    /// No way leads to the rank, or nobody is there any more.
    virtual void unreachable(int rank, std::string reason) = 0;
    /// Somebody who is none of ours was dropped; `what` says who and why.
    virtual void stranger(const std::string& what) = 0;

protected:
    ~LinkUser() = default;
};

class Links final : connection::PeerConnector::User {
public:
    /// Listens from now on. Throws ErrorCode::system. `user` outlives this.
    Links(const security::Key& key, int rank, std::int64_t timeout_ns,
          connection::PeerConnector::Settings settings, LinkUser& user);

    /// Where this rank listens.
    const connection::Card& card() const noexcept { return connector_.card(); }
    /// Connects; LinkUser hears of what comes of it. Throws where the hosts have no network in common.
    void connect(int peer, const connection::Card& card) { connector_.connect(peer, card); }
    /// The same to see whether the peer is there.
    void look_for(int peer, const connection::Card& card) { connector_.look_for(peer, card); }
    std::string silent_at(int peer) const { return connector_.silent_at(peer); }
    /// Sends, and has the rest sent later.
    void send(Link& link, const LinkMessage& message);
    /// Ends it. The user is not told.
    void drop(Link& link);
    /// Handles what is ready, tells the user. Does not block. Returns the number of events.
    std::size_t look();

    /// Readable when look() or the fabric has something to do.
    int descriptor() const noexcept { return poller_.fd(); }
    /// Watches a descriptor of the fabric's for changes (edge triggered): what it had to tell before the last
    /// look() is not told again.
    void watch_fabric(int descriptor);
    /// Makes descriptor() readable at this time, or earlier; 0: never mind.
    void wake_at(std::int64_t time_ns) noexcept;
    /// Ends all and listens no more. Nobody is told.
    void close() noexcept;

private:
    bool wants(int rank) override { return user_.wants(rank); }
    void connected(int rank, base::UniqueFd fd, std::string remote) override;
    void lost(int rank, std::string reason) override { user_.unreachable(rank, std::move(reason)); }
    void dropped(const std::string& remote, std::string_view why) override;
    void note(const std::string& text) override { user_.stranger(text); }
    void tell(Link& link);

    LinkUser& user_;
    const int timeout_ms_;
    connection::Poller poller_;
    connection::PeerConnector connector_;
    connection::Watched fabric_{connection::Watched::Kind::owned};
    std::unordered_map<Link*, std::unique_ptr<Link>> links_;
    std::vector<Link*> touched_;                    // may have something to tell
    std::vector<std::unique_ptr<Link>> old_links_;  // ended within a pass, which may still name them
};

}  // namespace tutti::transport::ofi
