#include "transports/ofi/link.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <span>

namespace tutti::transport::ofi {

namespace {

// A peer that sends only valid messages stays far below this.
constexpr std::size_t kMostOut = 1 << 16;

}  // namespace

void Link::ready()
{
    read_some();
    write_some();
}

void Link::read_some()
{
    std::array<std::byte, 1024> bytes;
    while (!has_ended()) {
        const ssize_t got = recv(fd(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got > 0)
            in_.insert(in_.end(), bytes.begin(), bytes.begin() + got);
        else if (got == 0)
            end("it closed the connection without leaving the job: the process has probably died");
        else if (errno == EAGAIN)
            return;
        else if (errno != EINTR)
            end(std::strerror(errno));
    }
}

void Link::write_some()
{
    while (!out_.empty() && !has_ended()) {
        const ssize_t gone = ::send(fd(), out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (gone < 0 && errno == EINTR)
            continue;
        if (gone < 0)
            return;  // full or broken: the next read tells which
        out_.erase(out_.begin(), out_.begin() + gone);
    }
}

void Link::send(const LinkMessage& message)
{
    if (has_ended())
        return;
    const auto bytes = std::as_bytes(std::span(&message, 1));
    out_.insert(out_.end(), bytes.begin(), bytes.end());
    write_some();
    if (out_.size() > kMostOut)
        end("it takes no messages");
}

std::optional<LinkMessage> Link::take()
{
    if (in_.size() < sizeof(LinkMessage))
        return std::nullopt;
    LinkMessage message{};
    std::memcpy(&message, in_.data(), sizeof message);
    in_.erase(in_.begin(), in_.begin() + sizeof message);
    return message;
}

void Link::end(const std::string& why)
{
    if (has_ended())
        return;
    reason_ = fmt::format("{}: {}", where_, why);
    fd_.reset();
}

}  // namespace tutti::transport::ofi
