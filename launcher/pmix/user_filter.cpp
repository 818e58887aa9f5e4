#include "launcher/pmix/user_filter.hpp"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "launcher/base/descriptors.hpp"

namespace tutti::launcher {

namespace {

/// TCP_ESTABLISHED: the C library's header that has it cannot be in one file with the kernel's <linux/tcp.h>.
constexpr __u8 kEstablished = 1;

// Set before libpmix starts the thread that accepts: relaxed.
std::atomic<bool> refusing{false};

/// Copies an address into a request about a socket. False for families other than IPv4 and IPv6.
bool place(const sockaddr_storage& address, __be16& port, __be32 (&words)[4]) noexcept
{
    if (address.ss_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, &address, sizeof v4);
        port = v4.sin_port;
        words[0] = v4.sin_addr.s_addr;
        return true;
    }
    if (address.ss_family == AF_INET6) {
        sockaddr_in6 v6{};
        std::memcpy(&v6, &address, sizeof v6);
        port = v6.sin6_port;
        std::memcpy(words, &v6.sin6_addr, sizeof words);
        return true;
    }
    return false;
}

/// Describes the socket at the other end: its own address is the far one here.
bool describe_other_end(int connection, inet_diag_req_v2& wanted) noexcept
{
    sockaddr_storage near{};
    sockaddr_storage far{};
    socklen_t near_bytes = sizeof near;
    socklen_t far_bytes = sizeof far;
    if (::getsockname(connection, reinterpret_cast<sockaddr*>(&near), &near_bytes) != 0 ||
        ::getpeername(connection, reinterpret_cast<sockaddr*>(&far), &far_bytes) != 0)
        return false;
    wanted.sdiag_family = static_cast<__u8>(far.ss_family);
    wanted.sdiag_protocol = IPPROTO_TCP;
    wanted.idiag_states = ~0U;
    wanted.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    wanted.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    return place(far, wanted.id.idiag_sport, wanted.id.idiag_src) &&
           place(near, wanted.id.idiag_dport, wanted.id.idiag_dst);
}

/// A connection of this process with itself.
bool knows_own_connections() noexcept
{
    const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const UniqueFd far(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener.get(), generic, bytes) != 0 || ::listen(listener.get(), 1) != 0 ||
        ::getsockname(listener.get(), generic, &bytes) != 0 || ::connect(far.get(), generic, bytes) != 0)
        return false;
    const UniqueFd near(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    return user_of_peer(near.get()) == ::geteuid();
}

}  // namespace

bool refuse_other_users() noexcept
{
    refusing.store(knows_own_connections(), std::memory_order_relaxed);
    return refusing.load(std::memory_order_relaxed);
}

std::optional<uid_t> user_of_peer(int connection) noexcept
{
    struct {
        nlmsghdr header;
        inet_diag_req_v2 wanted;
    } question{};
    question.header = {sizeof question, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 0, 0};
    const UniqueFd kernel(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    if (!kernel || !describe_other_end(connection, question.wanted) ||
        ::send(kernel.get(), &question, sizeof question, 0) != sizeof question)
        return std::nullopt;
    // The kernel has answered by now.
    alignas(nlmsghdr) std::array<char, 1024> answer{};
    const ssize_t bytes = ::recv(kernel.get(), answer.data(), answer.size(), MSG_DONTWAIT);
    nlmsghdr header{};
    inet_diag_msg socket{};
    if (bytes < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof socket))
        return std::nullopt;
    std::memcpy(&header, answer.data(), sizeof header);
    std::memcpy(&socket, answer.data() + NLMSG_HDRLEN, sizeof socket);
    // The kernel gives a closed socket to root.
    const bool open = header.nlmsg_type == SOCK_DIAG_BY_FAMILY && socket.idiag_state == kEstablished;
    return open ? std::optional<uid_t>(socket.idiag_uid) : std::nullopt;
}

}  // namespace tutti::launcher

/// Has the contract of the C library's function. ECONNABORTED means that a connection was closed before it
/// was taken: libpmix goes on with the next one.
extern "C" int accept(int listener, sockaddr* address, socklen_t* address_bytes)
{
    using namespace tutti::launcher;
    const auto taken = static_cast<int>(::syscall(SYS_accept4, listener, address, address_bytes, 0));
    if (taken < 0 || !refusing.load(std::memory_order_relaxed))
        return taken;
    const std::optional<uid_t> user = user_of_peer(taken);
    if (user && (*user == ::geteuid() || *user == 0))
        return taken;
    ::close(taken);
    errno = ECONNABORTED;
    return -1;
}
