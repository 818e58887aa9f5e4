// What becomes of jobs whose PMIx server dies, stands still, or has outsiders at its port.
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>

#include <catch2/catch.hpp>

#include "launcher/base/descriptors.hpp"
#include "launcher/pmix/user_filter.hpp"
#include "tests/multiprocess/on_hosts.hpp"

using namespace tutti::test;
using tutti::launcher::UniqueFd;

namespace {

constexpr uid_t kNobody = 65534;

std::vector<pid_t> pmix_servers(const Launched& job)
{
    std::vector<pid_t> found;
    for (const pid_t pid : job.processes()) {
        if (file_text("/proc/" + std::to_string(pid) + "/comm") == "tuttirun-pmix\n") {
            found.push_back(pid);
        }
    }
    return found;
}

Words with_input_for_all(Words words)
{
    words.insert(words.begin(), {"--stdin", "all"});
    return words;
}

std::string repeated(const std::string& line, int times)
{
    std::string text;
    for (; times > 0; --times) {
        text += line;
    }
    return text;
}

/// A job of three ranks that have published their contacts, and read those of others once it is told to.
struct ContactsLater {
    explicit ContactsLater(const Words& placing)
        : job(tuttirun_command(with_input_for_all([&] {
              Words words = placing;
              words.insert(words.end(), {program("bootstrap_actions"), "exchange-later"});
              return words;
          }())))
    {
        REQUIRE(job.wait_for_output(repeated("up\n", 3)));
    }
    Result go_on()
    {
        job.write("\n");
        return job.wait();
    }
    Launched job;
};

/// Runs `action` in a process of that user, and returns its exit status.
int as_user(uid_t user, const std::function<int()>& action)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(::setgid(user) != 0 || ::setuid(user) != 0 ? 99 : action());
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

UniqueFd connect_to(std::uint16_t port)
{
    UniqueFd connection(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        connection.reset();
    }
    return connection;
}

/// 0: the other side hangs up at once, without a word.
int is_sent_away(std::uint16_t port)
{
    const UniqueFd connection = connect_to(port);
    const timeval patience{10, 0};
    ::setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char byte = 0;
    return connection && ::recv(connection.get(), &byte, 1, 0) <= 0 && errno != EAGAIN ? 0 : 1;
}

/// Says more than it means to send, and is gone: what is read first is what it has left.
int shouts_and_leaves(std::uint16_t port)
{
    const UniqueFd connection = connect_to(port);
    const std::string text(64, '\xff');
    return connection && ::send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL) > 0 ? 0 : 1;
}

}  // namespace

TEST_CASE("a job that has wired up goes on without its PMIx server")
{
    for (const Words& placing : {Words{"-n", "3"}, on_hosts({1, 2}, {})}) {
        ContactsLater scene(placing);
        const std::vector<pid_t> servers = pmix_servers(scene.job);
        for (const pid_t server : servers) {
            ::kill(server, SIGKILL);
        }
        // A busy machine may end the job before it has ended a server.
        for (int i = 0; i < 2000 && lines_of(scene.job.so_far().err).size() < servers.size(); ++i) {
            ::usleep(10'000);
        }
        const Result result = scene.go_on();
        CHECK(result.status == 0);
        CHECK(result.out == repeated("up\n", 3) + repeated("left\n", 3));
        const Words reported = lines_of(result.err);
        CHECK(reported.size() == servers.size());
        for (const std::string& line : reported) {
            CHECK(contains(line, "tuttirun: the PMIx server was killed by signal 9 (Killed) on "));
            CHECK(line.ends_with(": the job goes on without it"));
        }
    }
}

TEST_CASE("a PMIx server that stands still holds up no job that has wired up")
{
    for (const Words& placing : {Words{"-n", "3"}, on_hosts({2, 1}, {})}) {
        ContactsLater scene(placing);
        for (const pid_t server : pmix_servers(scene.job)) {
            ::kill(server, SIGSTOP);
        }
        const Result result = scene.go_on();
        CHECK(result.status == 0);
        CHECK(result.out == repeated("up\n", 3) + repeated("left\n", 3));
        CHECK(result.err == "");
    }
}

TEST_CASE("libpmix's writes to a server that has died end no rank by a signal")
{
    ContactsLater scene({"-n", "3"});
    int threads = 0;
    for (const pid_t pid : scene.job.processes()) {
        const std::string folder = "/proc/" + std::to_string(pid);
        if (file_text(folder + "/comm") != "bootstrap_actio\n") {
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(folder + "/task")) {
            const bool first = entry.path().filename() == std::to_string(pid);
            const std::string status = file_text(entry.path() / "status");
            const std::size_t mask = status.find("SigBlk:\t");
            REQUIRE(mask != std::string::npos);
            const bool blocked =
                (std::stoull(status.substr(mask + 8), nullptr, 16) >> (SIGPIPE - 1) & 1) != 0;
            CHECK(blocked != first);  // the program's own thread is as it was
            threads += first ? 0 : 1;
        }
    }
    CHECK(threads >= 3);  // libpmix's in each
    CHECK(scene.go_on().status == 0);
}

TEST_CASE(
    "a rank that comes when the PMIx server is gone joins by its control channel, or says that it cannot")
{
    const bool has_channel = GENERATE(true, false);
    const std::string closing = has_channel ? "" : "unset TUTTI_CONTROL; ";
    Launched job(tuttirun_command({"-n", "1", "sh", "-c",
                                   "echo up; read -r line; " + closing + "exec " +
                                       shell_quoted(program("bootstrap_actions")) + " exchange"}));
    REQUIRE(job.wait_for_output("up\n"));
    REQUIRE(pmix_servers(job).size() == 1);
    ::kill(pmix_servers(job).front(), SIGKILL);
    job.write("\n");
    const Result result = job.wait();
    CHECK(result.status == (has_channel ? 0 : 4));
    CHECK(contains(result.err, "the PMIx server was killed by signal 9"));
    CHECK(contains(result.out, "control channel rank 0 of 1") == has_channel);
    CHECK(contains(result.err, "cannot connect to the launcher") == !has_channel);
}

TEST_CASE("other users' connections to the PMIx server's port are refused")
{
    if (::geteuid() != 0) {
        WARN("launcher: skipped: to be another user takes root");
        return;
    }
    if (!tutti::launcher::refuse_other_users()) {
        WARN("launcher: skipped: this kernel does not tell whose a connection is");
        return;
    }
    Launched job(tuttirun_command({"-n", "1", "sh", "-c",
                                   "echo \"$PMIX_SERVER_URI41\"; read -r line; exec " +
                                       shell_quoted(program("bootstrap_actions")) + " exchange"}));
    REQUIRE(job.wait_for_output("\n"));
    REQUIRE(pmix_servers(job).size() == 1);
    const std::string uri = [&] {
        const std::string environment =
            file_text("/proc/" + std::to_string(job.processes().back()) + "/environ");
        const std::size_t begin = environment.find("PMIX_SERVER_URI41=");
        REQUIRE(begin != std::string::npos);
        return environment.substr(begin, environment.find('\0', begin) - begin);
    }();
    const auto port = static_cast<std::uint16_t>(std::stoi(uri.substr(uri.rfind(':') + 1)));
    const pid_t server = pmix_servers(job).front();
    for (int round = 0; round < 20; ++round) {
        CHECK(as_user(kNobody, [port] { return shouts_and_leaves(port); }) == 0);
        CHECK(as_user(kNobody, [port] { return is_sent_away(port); }) == 0);
    }
    CHECK(pmix_servers(job) == std::vector{server});
    job.write("\n");
    const Result result = job.wait();
    CHECK(result.status == 0);
    CHECK(result.err == "");
}
