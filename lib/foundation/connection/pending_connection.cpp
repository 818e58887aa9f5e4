#include "lib/foundation/connection/pending_connection.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "lib/foundation/connection/socket.hpp"

namespace tutti::connection {

using security::Handshake;

// The buffer of a new connection has room for a whole handshake.
bool PendingConnection::send_all(std::span<const std::byte> bytes) noexcept
{
    const ssize_t sent = send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent == static_cast<ssize_t>(bytes.size()))
        return true;
    fail(sent < 0 ? errno : EAGAIN);
    return false;
}

void PendingConnection::fail(int error) noexcept
{
    state_ = State::failed;
    error_ = error;
    left_ = error == 0 || error == ECONNRESET || error == EPIPE;
}

bool PendingConnection::advance()
{
    bool moved = false;
    while (state_ == State::handshake || state_ == State::proved) {
        if (const auto out = handshake_.outgoing(); !out.empty()) {
            if (!send_all(out))
                return true;
            handshake_.sent(out.size());
            moved = true;
        }
        if (handshake_.state() == Handshake::State::failed) {
            state_ = State::failed;
            return true;
        }
        if (state_ == State::handshake && handshake_.state() == Handshake::State::proved) {
            state_ = State::proved;
            return true;
        }
        std::array<std::byte, Handshake::kMostBytes> bytes;
        const std::size_t wanted = state_ == State::proved ? 1 : handshake_.wanted();
        const ssize_t got = recv(fd(), bytes.data(), wanted, MSG_DONTWAIT);
        if (got <= 0) {
            if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
                return moved;
            fail(got == 0 ? 0 : errno);
            return true;
        }
        received_ = moved = true;
        if (state_ == State::handshake)
            handshake_.take(std::span(bytes).first(static_cast<std::size_t>(got)));
        else
            state_ =
                bytes[0] == static_cast<std::byte>(Verdict::accepted) ? State::accepted : State::duplicate;
    }
    return moved;
}

void PendingConnection::decide(Verdict verdict)
{
    // The other end may have given up while this process computed. Then no verdict is sent: the connection
    // would look established, and its end like a death.
    std::byte more{};
    const ssize_t got = recv(fd(), &more, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        return fail(got == 0 ? 0 : errno);
    const auto byte = static_cast<std::byte>(verdict);
    if (send_all({&byte, 1}))
        state_ = verdict == Verdict::accepted ? State::accepted : State::duplicate;
}

std::string PendingConnection::failure() const
{
    if (handshake_.state() == Handshake::State::failed)
        return std::string(handshake_.reason());
    if (left_)
        return "it closed the connection during the handshake";
    return words_of(error_);
}

}  // namespace tutti::connection
