#include "lib/foundation/control/channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "lib/foundation/base/terminal.hpp"

namespace tutti::control {

std::string channel_variable(int descriptor, std::string_view job, int rank)
{
    return fmt::format("{}:{}:{}.{}", descriptor, base::identity_of_file(descriptor), job, rank);
}

std::unique_ptr<Channel> Channel::inherited(std::string_view job, int rank)
{
    const char* const variable = std::getenv(kVariable);
    if (variable == nullptr)
        return nullptr;
    int descriptor = -1;
    std::from_chars(variable, variable + std::strlen(variable), descriptor);
    // The descriptor's number may belong to another file now. A launcher between the daemon and this program
    // has its own ranks and its own job.
    if (descriptor <= STDERR_FILENO || channel_variable(descriptor, job, rank) != variable)
        return nullptr;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return std::make_unique<Channel>(base::UniqueFd(descriptor));
}

Channel::Channel(base::UniqueFd socket) noexcept : socket_(std::move(socket)), owner_(getpid()) {}

bool Channel::say(const Packet& packet, int descriptor) noexcept
{
    return getpid() == owner_ && send(socket_.get(), packet, descriptor);
}

bool Channel::joined(std::string_view leaving_call) noexcept
{
    return say({.kind = Packet::Kind::joined, .name = std::string(leaving_call)});
}

bool Channel::left() noexcept
{
    return say({.kind = Packet::Kind::left});
}

bool Channel::abort(int status, std::string_view message) noexcept
{
    constexpr std::size_t kMostBytes = kMaxPacketBytes / 2;
    const bool looks = daemon_looks_.load(std::memory_order_relaxed);
    if (!say({.kind = Packet::Kind::aborted,
              .number = status,
              .serial = looks ? static_cast<std::uint32_t>(gettid()) : 0,
              .bytes = std::string(message.substr(0, kMostBytes))}))
        return false;
    if (looks)
        wait_in_handler(socket_.get(), Packet::Kind::may_end, kStackPatience);
    return true;
}

void Channel::let_daemon_look() noexcept
{
    // The daemon's descendants may look, too. Kernels without this rule do not know the call.
    ucred daemon{};
    socklen_t bytes = sizeof daemon;
    if (getsockopt(socket_.get(), SOL_SOCKET, SO_PEERCRED, &daemon, &bytes) == 0)
        prctl(PR_SET_PTRACER, static_cast<unsigned long>(daemon.pid), 0, 0, 0);
    daemon_looks_.store(true, std::memory_order_relaxed);
}

void Channel::crash(const Crash& crash) noexcept
{
    const std::string_view bytes(reinterpret_cast<const char*>(&crash), sizeof crash);
    if (getpid() == owner_ && send_in_handler(socket_.get(), Packet::Kind::crashed, owner_, bytes))
        wait_in_handler(socket_.get(), Packet::Kind::may_end, kStackPatience);
}

bool Channel::show_status(int descriptor) noexcept
{
    return say({.kind = Packet::Kind::status}, descriptor);
}

bool Channel::show_profile(int descriptor) noexcept
{
    return say({.kind = Packet::Kind::profile}, descriptor);
}

bool Channel::deposit(std::string_view name, std::string_view bytes, int descriptor) noexcept
{
    return say({.kind = Packet::Kind::deposit, .name = std::string(name), .bytes = std::string(bytes)},
               descriptor);
}

bool Channel::withdraw(std::string_view name) noexcept
{
    return say({.kind = Packet::Kind::withdraw, .name = std::string(name)});
}

Channel::Fetched Channel::fetch(int rank, std::string_view name, std::chrono::milliseconds patience)
{
    using Clock = std::chrono::steady_clock;
    const std::lock_guard lock(asking_);
    const std::uint32_t serial = ++last_serial_;
    if (!say({.kind = Packet::Kind::fetch, .number = rank, .serial = serial, .name = std::string(name)}))
        return {};
    const Clock::time_point give_up = Clock::now() + patience;
    while (true) {
        Packet answer;
        switch (receive(socket_.get(), answer)) {
            case Arrival::ended:
                return {};
            case Arrival::nothing: {
                const auto left = std::chrono::ceil<std::chrono::milliseconds>(give_up - Clock::now());
                if (left.count() <= 0)
                    return {.state = Fetched::State::missing};
                pollfd entry{socket_.get(), POLLIN, 0};
                poll(&entry, 1, static_cast<int>(left.count()));
                break;
            }
            case Arrival::packet:
                if (answer.serial != serial)  // from an earlier call that did not wait for it
                    break;
                if (answer.kind == Packet::Kind::found)
                    return {Fetched::State::found, std::move(answer.bytes), std::move(answer.descriptor)};
                return {answer.kind == Packet::Kind::missing ? Fetched::State::missing : Fetched::State::gone,
                        {},
                        {}};
        }
    }
}

}  // namespace tutti::control
