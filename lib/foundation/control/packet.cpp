#include "lib/foundation/control/packet.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

namespace tutti::control {

namespace {

struct Header {
    std::uint32_t kind;
    std::int32_t number;
    std::uint32_t serial;
    std::uint32_t name_bytes;
};

bool send_parts(int socket, Header header, std::string_view name, std::string_view bytes, int descriptor,
                int flags) noexcept
{
    if (sizeof header + name.size() + bytes.size() > kMaxPacketBytes)
        return false;
    std::array<iovec, 3> parts{iovec{&header, sizeof header},
                               iovec{const_cast<char*>(name.data()), name.size()},
                               iovec{const_cast<char*>(bytes.data()), bytes.size()}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
    if (descriptor >= 0) {
        message.msg_control = space.data();
        message.msg_controllen = space.size();
        cmsghdr* const rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof descriptor);
        std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
    }
    ssize_t sent = 0;
    do {
        sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | flags);
    } while (sent < 0 && errno == EINTR);
    return sent >= 0;
}

bool send_with(int socket, const Packet& packet, int descriptor, int flags) noexcept
{
    const Header header{static_cast<std::uint32_t>(packet.kind), packet.number, packet.serial,
                        static_cast<std::uint32_t>(packet.name.size())};
    return send_parts(socket, header, packet.name, packet.bytes, descriptor, flags);
}

base::UniqueFd descriptor_in(msghdr& message)
{
    base::UniqueFd found;
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
        int descriptor = -1;
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS &&
            part->cmsg_len >= CMSG_LEN(sizeof descriptor)) {
            std::memcpy(&descriptor, CMSG_DATA(part), sizeof descriptor);
            found.reset(descriptor);
        }
    }
    return found;
}

}  // namespace

bool send(int socket, const Packet& packet, int descriptor) noexcept
{
    return send_with(socket, packet, descriptor, 0);
}

bool send_now(int socket, const Packet& packet, int descriptor) noexcept
{
    return send_with(socket, packet, descriptor, MSG_DONTWAIT);
}

bool send_in_handler(int socket, Packet::Kind kind, std::int32_t number, std::string_view bytes) noexcept
{
    return send_parts(socket, {static_cast<std::uint32_t>(kind), number, 0, 0}, {}, bytes, -1, MSG_DONTWAIT);
}

bool wait_in_handler(int socket, Packet::Kind kind, std::chrono::milliseconds patience) noexcept
{
    using Clock = std::chrono::steady_clock;
    const Clock::time_point give_up = Clock::now() + patience;
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(give_up - Clock::now());
        pollfd entry{socket, POLLIN, 0};
        if (left.count() <= 0 || (::poll(&entry, 1, static_cast<int>(left.count())) < 0 && errno != EINTR))
            return false;
        Header header{};
        const ssize_t received = ::recv(socket, &header, sizeof header, MSG_DONTWAIT);
        if (received == 0 || (received < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNRESET))
            return false;
        if (received == sizeof header && header.kind == static_cast<std::uint32_t>(kind))
            return true;
    }
}

Arrival receive(int socket, Packet& packet)
{
    static thread_local std::vector<char> buffer(kMaxPacketBytes);
    iovec whole{buffer.data(), buffer.size()};
    // Room for one descriptor: the kernel closes any others.
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
    msghdr message{};
    message.msg_iov = &whole;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    ssize_t received = 0;
    do {
        received = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        // Reported once if the other side ended before it read everything; its packets are still there.
    } while (received < 0 && errno == ECONNRESET);
    if (received < 0 && (errno == EAGAIN || errno == EINTR))
        return Arrival::nothing;
    if (received <= 0)
        return Arrival::ended;
    packet.descriptor = descriptor_in(message);
    Header header{};
    const auto bytes = static_cast<std::size_t>(received);
    if (bytes < sizeof header || (message.msg_flags & MSG_TRUNC) != 0)
        return Arrival::ended;
    std::memcpy(&header, buffer.data(), sizeof header);
    if (header.name_bytes > bytes - sizeof header)
        return Arrival::ended;
    const std::string_view rest(buffer.data() + sizeof header, bytes - sizeof header);
    packet.kind = static_cast<Packet::Kind>(header.kind);
    packet.number = header.number;
    packet.serial = header.serial;
    packet.name = rest.substr(0, header.name_bytes);
    packet.bytes = rest.substr(header.name_bytes);
    return Arrival::packet;
}

}  // namespace tutti::control
