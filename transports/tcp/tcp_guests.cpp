// Who comes to a TcpTransport: let in once proved, dropped otherwise.
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "lib/foundation/base/clock.hpp"
#include "transports/tcp/tcp_transport.hpp"

namespace tutti::transport::tcp {

using security::Handshake;
using security::Identity;

namespace {

constexpr std::size_t kGuestsAPass = 64;
constexpr std::size_t kMostStrangers = 64;       // who have not said hello
constexpr std::int64_t kPatienceWithHello = 10;  // times the timeout: a rank may compute between two steps
constexpr std::int64_t kNoGuestWaits = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kNoFilesPauseNs = 1'000'000'000;

}  // namespace

void TcpTransport::accept_guests()
{
    for (std::size_t i = 0; i < kGuestsAPass; ++i) {
        base::UniqueFd fd(accept4(listener_.fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!fd) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
                log_once("files", "cannot take another connection: " + words_of(errno));
                poller_.forget(listener_.fd.get());
                accept_again_ns_ = base::now_ns() + kNoFilesPauseNs;
                poller_.wake_at(accept_again_ns_);
            }
            return;
        }
        std::string remote = name_of_other_end(fd.get());
        if (const auto own = own_address_of(fd.get());
            std::ranges::find(local_addresses_, own, &network::LocalAddress::address) ==
            local_addresses_.end()) {
            tell_dropped(remote,
                         fmt::format("it came to {}, which is not among the addresses chosen: {}",
                                     own ? own->to_string() : "an unknown address", chosen_addresses()));
            continue;
        }
        set_options(fd.get(), dial_options_.socket);
        const Identity self{Identity::Kind::rank, static_cast<std::uint32_t>(options_.rank)};
        auto guest = std::make_unique<Meeting>(Watched::Kind::guest, std::move(fd),
                                               Handshake::listen(options_.key, kProtocolVersion, self),
                                               std::move(remote));
        guest->since_ns = base::now_ns();
        if (!poller_.watch(guest->fd(), EPOLLIN, *guest))
            continue;
        poller_.wake_at(guest->since_ns + timeout_ns());
        Meeting& added = *guests_.emplace_back(std::move(guest));
        advance_guest(added);  // its hello is likely to be there
        limit_guests();
    }
}

// Takes the guest out of the list; epoll tells of it no more.
std::unique_ptr<Meeting> TcpTransport::take_guest(Meeting& guest)
{
    const auto found = std::ranges::find(guests_, &guest, &std::unique_ptr<Meeting>::get);
    auto taken = std::move(*found);
    guests_.erase(found);
    poller_.forget(taken->fd());
    return taken;
}

// Empty `why`: nothing worth telling.
void TcpTransport::drop_guest(Meeting& guest, std::string_view why)
{
    const auto dropped = take_guest(guest);
    if (!why.empty())
        tell_dropped(dropped->remote(), why);
}

// Once an address, whatever port it comes from.
void TcpTransport::tell_dropped(const std::string& remote, std::string_view why)
{
    log_once(remote.substr(0, remote.rfind(':')) + std::string(why),
             fmt::format("dropped a connection from {}: {}", remote, why));
}

bool TcpTransport::wants(int rank)
{
    const Peer& known = peer(rank);
    return known.fate == Fate::living && known.stream == nullptr;
}

std::size_t TcpTransport::advance_guest(Meeting& guest)
{
    const bool moved = guest.advance();
    if (guest.state() == Meeting::State::failed) {
        // Who leaves without a word, or leaves after a proper hello, is no stranger worth a line.
        const bool quiet = guest.was_left() && (!guest.has_heard_anything() || guest.handshake().has_hello());
        drop_guest(guest, quiet ? "" : guest.failure());
        return 1;
    }
    if (guest.state() == Meeting::State::greeting)
        return moved ? 1 : 0;
    const Identity who = guest.handshake().peer();
    if (who.kind != Identity::Kind::rank || who.number >= peers_.size()) {
        drop_guest(guest, "it is no rank of this job");
        return 1;
    }
    const int rank = static_cast<int>(who.number);
    if (guest.state() == Meeting::State::proved) {
        if (options_.rank < rank)
            guest.decide(wants(rank) ? Verdict::accepted : Verdict::duplicate);
        else
            guest.advance();  // its verdict follows its proof
    }
    if (guest.state() == Meeting::State::accepted && wants(rank))
        adopt(rank, take_guest(guest));
    else if (guest.state() != Meeting::State::proved)
        drop_guest(guest, "");
    return 1;
}

void TcpTransport::limit_guests()
{
    const auto count = [&](auto&& counts) {
        return static_cast<std::size_t>(
            std::ranges::count_if(guests_, [&](const auto& guest) { return counts(*guest); }));
    };
    const auto drop_oldest = [&](auto&& counts) {
        const auto oldest = std::ranges::find_if(guests_, [&](const auto& guest) { return counts(*guest); });
        drop_guest(**oldest, "too many others wait for their handshake, too");
    };
    const Meeting* const newest = guests_.empty() ? nullptr : guests_.back().get();
    const auto stranger = [](const Meeting& guest) { return !guest.handshake().has_hello(); };
    if (guests_.size() > kMostStrangers && count(stranger) > kMostStrangers)
        drop_oldest(stranger);
    if (newest == nullptr || guests_.back().get() != newest || stranger(*newest))
        return;
    const Identity claimed = newest->handshake().peer();
    const auto same = [&](const Meeting& guest) {
        return guest.handshake().has_hello() && guest.handshake().peer() == claimed;
    };
    // It may dial each of this rank's addresses, and both may have dialled at once.
    if (count(same) > card_.addresses.size() + 1)
        drop_oldest(same);
}

std::int64_t TcpTransport::look_at_guests(std::int64_t now_ns)
{
    std::int64_t next = kNoGuestWaits;
    for (std::size_t i = guests_.size(); i-- > 0;) {
        Meeting& guest = *guests_[i];
        const std::int64_t patience = guest.handshake().has_hello() ? kPatienceWithHello : 1;
        const std::int64_t deadline = guest.since_ns + patience * timeout_ns();
        if (now_ns >= deadline)
            drop_guest(guest, "it did not finish the handshake in time");
        else
            next = std::min(next, deadline);
    }
    return next;
}

}  // namespace tutti::transport::tcp
