#include "launcher/wire/daemon_link.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/utsname.h>

#include <algorithm>

#include "lib/foundation/connection/socket.hpp"
#include "lib/foundation/network/interface_choice.hpp"

namespace tutti::launcher {

namespace {

constexpr int kQuietSeconds = 2;     // before the kernel asks the other end
constexpr int kQuestionSeconds = 1;  // from one question to the next

std::string own_name()
{
    utsname system{};
    return ::uname(&system) == 0 ? system.nodename : "this one";
}

}  // namespace

void prepare_link(int fd) noexcept
{
    connection::set_usual_options(fd, {.idle_s = kQuietSeconds,
                                       .interval_s = kQuestionSeconds,
                                       .questions = kLinkTimeoutSeconds - kQuietSeconds});
}

bool is_link(int fd) noexcept
{
    int domain = AF_UNIX;
    socklen_t size = sizeof domain;
    return ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain != AF_UNIX;
}

bool link_is_dead(int fd) noexcept
{
    tcp_info info{};
    socklen_t size = sizeof info;
    if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
        return false;
    // Who has closed its window is asked more and more rarely whether it is open again. TCP_USER_TIMEOUT
    // would take that for death: of a head that the user has stopped, for one.
    const bool waits_for_window = info.tcpi_unacked == 0 && info.tcpi_notsent_bytes > 0;
    return !waits_for_window && info.tcpi_last_ack_recv > kLinkTimeoutSeconds * 1000U;
}

std::string peer_address(int fd)
{
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    ::getpeername(fd, reinterpret_cast<sockaddr*>(&storage), &size);
    const auto address = network::IpAddress::of(reinterpret_cast<const sockaddr&>(storage));
    return address ? address->to_string() : std::string();
}

std::vector<std::string> own_addresses(const std::string& interface)
{
    using namespace network;
    const std::vector<LocalAddress> all = local_addresses();
    const InterfaceChoice choice = interface.empty() ? InterfaceChoice::from_environment()
                                                     : InterfaceChoice::parse(interface, "--interface");
    const auto is_loopback = [](const LocalAddress& address) { return address.address.is_loopback(); };
    std::vector<std::string> result;
    // A machine without a network has nothing to choose from, and may be its own other host.
    if (!choice.is_automatic() || !std::ranges::all_of(all, is_loopback))
        for (const LocalAddress& chosen : choice.choose(all, own_name()))
            result.push_back(chosen.address.to_string());
    for (const LocalAddress& address : all)
        if (is_loopback(address) && std::ranges::find(result, address.address.to_string()) == result.end())
            result.push_back(address.address.to_string());
    return result;
}

}  // namespace tutti::launcher
