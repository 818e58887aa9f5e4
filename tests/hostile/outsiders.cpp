#include "tests/hostile/outsiders.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <span>
#include <thread>
#include <utility>

#include "launcher/job/daemon_record.hpp"
#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/security/handshake.hpp"
#include "transports/tcp/tcp_frame.hpp"

namespace tutti::test {

namespace {

using base::UniqueFd;
using security::Handshake;
using security::Identity;
using security::Key;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// Where a message of the handshake has the job's number, behind what tells the protocol and its version.
constexpr std::size_t kJobOffset = 16;

class Attack {
public:
    explicit Attack(const Outsider& outsider)
        : outsider_(outsider), random_(outsider.seed), end_(Clock::now() + outsider.duration)
    {
    }

    bool run()
    {
        constexpr std::array kinds{&Attack::garbage, &Attack::silence, &Attack::one_byte, &Attack::half,
                                   &Attack::crowd,   &Attack::leave,   &Attack::replay,   &Attack::forge,
                                   &Attack::lie,     &Attack::drip};
        while (Clock::now() < end_ && !outsider_.ports.empty()) {
            const JobPort& port = outsider_.ports.at(draw(outsider_.ports.size()));
            (this->*kinds.at(draw(kinds.size())))(port);
        }
        return reached_;
    }

private:
    std::size_t draw(std::size_t below) { return random_() % below; }

    UniqueFd connect(const JobPort& port)
    {
        UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port.port);
        address.sin_addr.s_addr = port.address;
        // No longer than it takes a full queue to empty.
        const timeval patience{0, 200'000};
        ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
            std::this_thread::sleep_for(Milliseconds(5));
            return {};
        }
        reached_ = true;
        return socket;
    }
    static void say(const UniqueFd& socket, std::string_view text)
    {
        (void)::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
    }
    void keep(UniqueFd socket)
    {
        if (socket && held_.size() < 2000) {
            held_.push_back(std::move(socket));
        }
    }
    /// Kept open, or closed at once.
    void keep_or_close(UniqueFd socket)
    {
        if (draw(2) == 0) {
            keep(std::move(socket));
        }
    }
    std::string random_bytes(std::size_t size)
    {
        std::string bytes(size, '\0');
        std::ranges::generate(bytes, [this] { return static_cast<char>(random_()); });
        return bytes;
    }

    /// What a rank or a daemon says first, of another job.
    std::string hello()
    {
        const auto someone = [this](Identity::Kind kind) {
            return Identity{kind,
                            static_cast<std::uint32_t>(draw(static_cast<std::size_t>(outsider_.ranks) + 1))};
        };
        const bool rank = draw(2) == 0;
        Handshake handshake =
            rank ? Handshake::dial(Key::random(), transport::tcp::kProtocolVersion,
                                   someone(Identity::Kind::rank), someone(Identity::Kind::rank))
                 : Handshake::dial(Key::random(), launcher::kDaemonProtocol, someone(Identity::Kind::daemon),
                                   {Identity::Kind::head, 0});
        const auto bytes = handshake.outgoing();
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

    void garbage(const JobPort& port)
    {
        const UniqueFd socket = connect(port);
        say(socket, random_bytes(1 + draw(draw(4) == 0 ? 100'000 : 300)));
    }
    void silence(const JobPort& port) { keep(connect(port)); }
    void one_byte(const JobPort& port)
    {
        UniqueFd socket = connect(port);
        say(socket, draw(2) == 0 ? hello().substr(0, 1) : random_bytes(1));
        keep(std::move(socket));
    }
    void half(const JobPort& port)
    {
        UniqueFd socket = connect(port);
        const std::string text = draw(2) == 0 ? hello() : lying_header();
        say(socket, std::string_view(text).substr(0, draw(text.size())));
        if (draw(2) == 0) {
            ::shutdown(socket.get(), SHUT_WR);
        }
        keep(std::move(socket));
    }
    void crowd(const JobPort& port)
    {
        for (int i = 0; i < 200 && Clock::now() < end_; ++i) {
            keep(connect(port));
        }
    }
    /// Without a word, politely or not.
    void leave(const JobPort& port)
    {
        for (int i = 0; i < 20 && Clock::now() < end_; ++i) {
            const UniqueFd socket = connect(port);
            const linger at_once{1, 0};
            if (draw(2) == 0) {
                ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
            }
        }
    }
    void replay(const JobPort& port)
    {
        UniqueFd socket = connect(port);
        std::string text = outsider_.record;
        if (!text.empty() && draw(2) == 0) {
            text.at(draw(text.size())) ^= static_cast<char>(1U << draw(8));
        }
        say(socket, text);
        keep_or_close(std::move(socket));
    }
    /// Learns the job's number from how it is refused, claims to be one of the job, and gives the proof back
    /// that it is shown, or none.
    void forge(const JobPort& port)
    {
        std::string text = hello();
        std::array<char, Handshake::kMostBytes> answer{};
        {
            const UniqueFd socket = connect(port);
            say(socket, text);
            if (::recv(socket.get(), answer.data(), answer.size(), 0) <
                static_cast<ssize_t>(kJobOffset + sizeof(std::uint64_t))) {
                return;
            }
        }
        std::memcpy(text.data() + kJobOffset, answer.data() + kJobOffset, sizeof(std::uint64_t));
        for (std::size_t i = 0; i <= draw(10); ++i) {
            UniqueFd socket = connect(port);
            say(socket, text);
            const ssize_t got = ::recv(socket.get(), answer.data(), answer.size(), 0);
            constexpr ssize_t kProofBytes = 32;
            if (draw(2) == 0 && got >= kProofBytes) {
                say(socket, {answer.data() + got - kProofBytes, kProofBytes});
            }
            keep_or_close(std::move(socket));
        }
    }
    /// The header of a message to libpmix and the beginning of what it takes for a hello, with wrong lengths.
    std::string lying_header()
    {
        constexpr std::array<std::uint32_t, 6> kLengths{0, 1, 64, 4096, 0x7fff'ffff, 0xffff'ffff};
        const auto length = [&] { return htonl(kLengths.at(draw(kLengths.size()))); };
        struct {
            std::int32_t index = -1;
            std::uint32_t tag = ~0U;
            std::uint64_t bytes = 0;
        } header;
        const std::string name = draw(2) == 0 ? "native" : "munge";
        const std::uint32_t credential = length();
        std::string text = name + '\0';
        text.append(reinterpret_cast<const char*>(&credential), sizeof credential);
        text += random_bytes(draw(300));
        header.bytes = draw(3) == 0 ? random_() : draw(3) == 0 ? text.size() + draw(50) : text.size();
        return std::string(reinterpret_cast<const char*>(&header), sizeof header) + text;
    }
    void lie(const JobPort& port)
    {
        UniqueFd socket = connect(port);
        say(socket, lying_header());
        keep_or_close(std::move(socket));
    }
    void drip(const JobPort& port)
    {
        const UniqueFd socket = connect(port);
        for (const char byte : hello()) {
            if (Clock::now() >= end_) {
                return;
            }
            say(socket, {&byte, 1});
            std::this_thread::sleep_for(Milliseconds(1));
        }
    }

    const Outsider& outsider_;
    std::mt19937 random_;
    Clock::time_point end_;
    std::vector<UniqueFd> held_;
    bool reached_ = false;
};

/// The environment of `pid`, with another port for all servers of PMIx in it.
std::vector<std::string> environment_towards(pid_t pid, std::uint16_t port)
{
    std::vector<std::string> variables;
    std::string all = file_text("/proc/" + std::to_string(pid) + "/environ");
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t end = std::min(all.find('\0', begin), all.size());
        std::string variable = all.substr(begin, end - begin);
        begin = end + 1;
        if (variable.starts_with(kMarkVariable) || variable.starts_with("TUTTI_CONTROL=")) {
            continue;
        }
        if (variable.starts_with("PMIX_SERVER_URI")) {
            variable = variable.substr(0, variable.rfind(':') + 1) + std::to_string(port);
        }
        variables.push_back(std::move(variable));
    }
    return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& words)
{
    std::vector<char*> pointers;
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

/// What comes until nothing does for a while.
std::string hear(int socket)
{
    std::string text;
    std::array<char, 4096> buffer;
    pollfd entry{socket, POLLIN, 0};
    while (::poll(&entry, 1, 50) == 1) {
        const ssize_t got = ::recv(socket, buffer.data(), buffer.size(), 0);
        if (got <= 0) {
            break;
        }
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return text;
}

}  // namespace

std::string record_pmix_hello(pid_t pid)
{
    const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener.get(), generic, bytes) != 0 || ::listen(listener.get(), 1) != 0 ||
        ::getsockname(listener.get(), generic, &bytes) != 0) {
        return {};
    }
    std::vector<std::string> variables = environment_towards(pid, ntohs(address.sin_port));
    if (variables.empty()) {
        return {};
    }
    std::vector<std::string> command{program("exchange"), "1", "0"};
    const auto argv = pointers_to(command);
    const auto envp = pointers_to(variables);
    const pid_t child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int null = ::open("/dev/null", O_RDWR);
        ::dup2(null, STDOUT_FILENO);
        ::dup2(null, STDERR_FILENO);
        ::close_range(STDERR_FILENO + 1, ~0U, 0);
        ::execve(argv.front(), argv.data(), envp.data());
        ::_exit(127);
    }
    pollfd entry{listener.get(), POLLIN, 0};
    std::string text;
    if (::poll(&entry, 1, 3000) == 1) {
        const UniqueFd client(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        text = hear(client.get());
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    return text;
}

pid_t start(const Outsider& outsider)
{
    const pid_t child = ::fork();
    if (child != 0) {
        return child;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close_range(STDERR_FILENO + 1, ~0U, 0);  // the job's pipes
    const bool itself = outsider.user == ::geteuid();
    if (!itself &&
        (::setgroups(0, nullptr) != 0 || ::setgid(outsider.user) != 0 || ::setuid(outsider.user) != 0)) {
        ::_exit(99);
    }
    ::_exit(Attack(outsider).run() ? 0 : 1);
}

}  // namespace tutti::test
