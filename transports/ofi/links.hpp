// All links of a rank, and what it sleeps on: one descriptor that is readable when a link, the fabric or a
// timer asks for progress.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "transports/ofi/link.hpp"

namespace tutti::transport::ofi {

/// Hears of links, from within Links::look() only. A Link stays valid until ended() of it returns.
class LinkUser {
public:
    virtual void proved(Link& link) = 0;
    virtual void heard(Link& link, const LinkMessage& message) = 0;
    /// For each link that was dialed or proved.
    virtual void ended(Link& link) = 0;
    /// Somebody who is none of ours was dropped; `what` says who and why.
    virtual void stranger(const std::string& what) = 0;

protected:
    ~LinkUser() = default;
};

class Links {
public:
    /// Listens on each of `addresses`, on ports that the system chooses. Throws ErrorCode::system. `settings`
    /// and `user` outlive this. `most_strangers`: others' connections that may be unproved at a time; the
    /// oldest make room.
    Links(const LinkSettings& settings, std::span<const network::LocalAddress> addresses,
          std::size_t most_strangers, LinkUser& user);
    ~Links();
    Links(const Links&) = delete;
    Links& operator=(const Links&) = delete;

    const std::vector<Door>& doors() const noexcept { return doors_; }
    /// Connects; LinkUser hears of what comes of it.
    Link& dial(int peer, std::vector<Way> ways);
    /// Sends, and has the rest sent later.
    void send(Link& link, const LinkMessage& message);
    /// Ends it. The user is not told.
    void drop(Link& link);
    /// Handles what is ready, tells the user. Does not block. Returns the number of events.
    std::size_t look();

    /// Readable when look() or the fabric has something to do.
    int descriptor() const noexcept { return epoll_.get(); }
    /// Watches a descriptor of the fabric's for changes (edge triggered): what it had to tell before the last
    /// look() is not told again.
    void watch_fabric(int descriptor);
    /// Makes descriptor() readable at this time, 0: never, unless a link's deadline comes first.
    void wake_at(std::int64_t time_ns);
    /// Ends all and listens no more. Nobody is told.
    void close() noexcept;

private:
    struct Watched {
        std::unique_ptr<Link> link;
        std::uint64_t number = 0;  // the older the lower
        unsigned attempt = 0;      // whose descriptor epoll knows
        bool writing = false;
        bool told_proved = false;
        bool told_ended = false;
    };

    void listen_at(const network::LocalAddress& address);
    void accept_some(int listener);
    void refuse_one(int listener);
    Link& adopt(std::unique_ptr<Link> link);
    void watch(Watched& watched);
    void tell(Watched& watched);
    void tell_all();
    void check_deadlines(std::int64_t now_ns);
    void make_room();
    void set_timer();

    const LinkSettings& settings_;
    const std::size_t most_strangers_;
    LinkUser& user_;
    base::UniqueFd epoll_;
    base::UniqueFd timer_;
    base::UniqueFd spare_;  // given up to be able to refuse when descriptors have run out
    std::vector<base::UniqueFd> listeners_;
    std::vector<Door> doors_;
    std::unordered_map<Link*, Watched> links_;
    std::uint64_t adopted_ = 0;      // in all
    std::vector<Link*> touched_;     // may have something to tell
    std::int64_t wake_at_ns_ = 0;    // as asked for; 0: never
    std::int64_t timer_set_ns_ = 0;  // what the timer is set to
};

}  // namespace tutti::transport::ofi
