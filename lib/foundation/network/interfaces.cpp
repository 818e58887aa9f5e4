#include "lib/foundation/network/interfaces.hpp"

#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "lib/foundation/base/unique_fd.hpp"
#include "tutti/error.hpp"

namespace tutti::network {

namespace {

unsigned prefix_of(const sockaddr* mask) noexcept
{
    const auto bits = mask != nullptr ? IpAddress::of(*mask) : std::nullopt;
    unsigned prefix = 0;
    for (std::size_t i = 0; bits && i < bits->size(); ++i)
        prefix += static_cast<unsigned>(std::popcount(bits->data()[i]));
    return prefix;
}

// Asks the driver: /sys may show the interfaces of another network namespace, if it was not mounted anew.
bool is_bridge(const std::string& interface) noexcept
{
    const base::UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ethtool_drvinfo driver{};
    driver.cmd = ETHTOOL_GDRVINFO;
    ifreq request{};
    interface.copy(request.ifr_name, sizeof request.ifr_name - 1);
    request.ifr_data = reinterpret_cast<char*>(&driver);
    return ioctl(socket.get(), SIOCETHTOOL, &request) == 0 &&
           std::strncmp(driver.driver, "bridge", sizeof driver.driver) == 0;
}

// Whether a network contact, or a virtual machine's substitute for one, is a port of the bridge: then the
// bridge leads out of this host.
bool has_device(const std::string& bridge)
{
    namespace fs = std::filesystem;
    const fs::path interfaces = "/sys/class/net";
    std::error_code error;
    const fs::directory_iterator ports(interfaces / bridge / "brif", error);
    return std::any_of(begin(ports), end(ports), [&](const fs::directory_entry& port) {
        return fs::exists(interfaces / port.path().filename() / "device", error);
    });
}

std::string_view why_not(const LocalAddress& address) noexcept
{
    return !address.up                       ? " (down)"
           : address.address.is_loopback()   ? " (loopback)"
           : address.address.is_link_local() ? " (link-local)"
           : address.isolated_bridge         ? " (a bridge within this host)"
                                             : "";
}

void append(std::string& text, const HostAddress& address)
{
    text += fmt::format("{}{} {}/{}", text.empty() ? "" : ", ", address.interface,
                        address.address.to_string(), address.prefix);
}

}  // namespace

std::vector<LocalAddress> local_addresses()
{
    ifaddrs* first = nullptr;
    if (getifaddrs(&first) != 0)
        throw Error(ErrorCode::system, "network",
                    fmt::format("the system does not list its network interfaces: {}", std::strerror(errno)));
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> list(first, freeifaddrs);
    std::vector<LocalAddress> all;
    for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
        const auto address = entry->ifa_addr != nullptr ? IpAddress::of(*entry->ifa_addr) : std::nullopt;
        if (!address)
            continue;
        LocalAddress local{{*address, prefix_of(entry->ifa_netmask), entry->ifa_name}};
        local.interface_index = if_nametoindex(entry->ifa_name);
        local.up = (entry->ifa_flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING);
        local.isolated_bridge = is_bridge(local.interface) && !has_device(local.interface);
        all.push_back(std::move(local));
    }
    return all;
}

std::string describe(std::span<const HostAddress> addresses)
{
    std::string text;
    for (const HostAddress& address : addresses)
        append(text, address);
    return text.empty() ? "none" : text;
}

std::string describe(std::span<const LocalAddress> addresses)
{
    std::string text;
    for (const LocalAddress& address : addresses) {
        append(text, address);
        text += why_not(address);
    }
    return text.empty() ? "none" : text;
}

}  // namespace tutti::network
