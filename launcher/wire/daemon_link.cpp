#include "launcher/wire/daemon_link.hpp"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "lib/foundation/network/interface_choice.hpp"

namespace tutti::launcher {

namespace {

constexpr int kQuietSeconds = 2;     // before the kernel asks the other end
constexpr int kQuestionSeconds = 1;  // from one question to the next

void set_option(int fd, int level, int name, int value) noexcept
{
    ::setsockopt(fd, level, name, &value, sizeof value);
}

std::string own_name()
{
    utsname system{};
    return ::uname(&system) == 0 ? system.nodename : "this one";
}

}  // namespace

void prepare_link(int fd) noexcept
{
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, kQuietSeconds);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, kQuestionSeconds);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, kLinkTimeoutSeconds - kQuietSeconds);
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

std::string address_text(const sockaddr_storage& address)
{
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address), sizeof address, text.data(), text.size(),
                      nullptr, 0, NI_NUMERICHOST) != 0)
        return {};
    std::string result = text.data();
    // How a socket for both families sees an IPv4 address.
    constexpr const char* kMapped = "::ffff:";
    return result.starts_with(kMapped) && result.find('.') != std::string::npos
               ? result.substr(std::strlen(kMapped))
               : result;
}

std::string peer_address(int fd)
{
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0 || address.ss_family == AF_UNIX)
        return {};
    return address_text(address);
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
