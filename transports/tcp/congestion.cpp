#include "transports/tcp/congestion.hpp"

#include <fmt/format.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <fstream>

#include "lib/foundation/connection/socket.hpp"
#include "lib/foundation/settings/settings.hpp"
#include "tutti/error.hpp"

namespace tutti::transport::tcp {

namespace {

constexpr const char* kVariable = "TUTTI_TCP_CONGESTION";
constexpr std::size_t kNameBytes = 16;  // the kernel's TCP_CA_NAME_MAX

/// The algorithms that this process may use, as the kernel lists them.
std::string allowed()
{
    std::ifstream file("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
    std::string names;
    std::getline(file, names);
    return names.empty() ? "those in net.ipv4.tcp_allowed_congestion_control" : names;
}

}  // namespace

std::string congestion_control_of(int fd)
{
    std::array<char, kNameBytes> name{};
    socklen_t size = name.size();
    if (::getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(), &size) != 0)
        return {};
    return {name.data(), strnlen(name.data(), size)};
}

bool set_congestion_control(int fd, std::string_view name) noexcept
{
    return name.empty() || ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(),
                                        static_cast<socklen_t>(name.size())) == 0;
}

std::string congestion_asked_for()
{
    const char* const text = settings::value_of(kVariable);
    return text != nullptr ? text : "";
}

std::string choose_congestion_control(std::string_view wish)
{
    if (wish == "system")
        return {};
    base::UniqueFd trial = connection::make_socket(false);
    if (!trial)
        trial = connection::make_socket(true);
    if (!wish.empty()) {
        if (!set_congestion_control(trial.get(), wish))
            throw Error(
                ErrorCode::invalid_argument, "tcp",
                fmt::format("{}={}{} is no congestion control that this process may use here; use one of "
                            "{}, or 'system' for the system's own",
                            kVariable, wish, settings::origin_of(kVariable), allowed()));
        return std::string(wish);
    }
    if (!congestion_control_of(trial.get()).starts_with("bbr"))
        return {};
    for (const std::string_view name : {"cubic", "reno"})  // Linux's default; one that every process may use
        if (set_congestion_control(trial.get(), name))
            return std::string(name);
    return {};
}

}  // namespace tutti::transport::tcp
