// A job is found and asked, whoever has taken the names of its socket.
#include "launcher/report/status_socket.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <future>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace tutti::launcher;

namespace {

constexpr uid_t kOther = 65534;

/// Listens at the names of these jobs of this user; `backlog` -1: not even that.
std::vector<UniqueFd> take_names(const std::vector<int>& jobs, uid_t user, int backlog)
{
    std::vector<UniqueFd> sockets;
    for (const int job : jobs) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string name = "tutti-job-" + std::to_string(user) + '-' + std::to_string(job);
        name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
        const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
        UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
            (backlog < 0 || ::listen(socket.get(), backlog) == 0))
            sockets.push_back(std::move(socket));
    }
    return sockets;
}

/// Another user's process, which holds them.
class Outsider {
public:
    explicit Outsider(const std::vector<int>& jobs)
    {
        auto [ready, done] = make_pipe("pipe");
        child_ = ::fork();
        if (child_ == 0) {
            const uid_t user = ::geteuid();
            const bool is_other = ::setgid(kOther) == 0 && ::setuid(kOther) == 0;
            const auto taken = take_names(jobs, user, 8);
            const char answer = is_other && taken.size() == jobs.size() ? 'y' : 'n';
            static_cast<void>(!::write(done.get(), &answer, 1));
            while (true)
                ::pause();
        }
        char answer = 0;
        CHECK(::read(ready.get(), &answer, 1) == 1);
        CHECK(answer == 'y');
    }
    ~Outsider()
    {
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
    }
    Outsider(const Outsider&) = delete;
    Outsider& operator=(const Outsider&) = delete;

private:
    pid_t child_ = -1;
};

/// What a job of this process answers to one who finds it by itself.
std::string answer_of_own_job()
{
    EventLoop loop;
    const StatusSocket socket(loop, [](const std::string& question, const StatusSocket::Answer& answer) {
        answer("an answer to " + question);
    });
    auto asking = std::async(std::launch::async, [&loop]() -> std::string {
        std::string answer;
        try {
            const std::vector<int> jobs = jobs_of_user();
            answer = std::ranges::find(jobs, ::getpid()) == jobs.end() ? "not found"
                                                                        : ask_job(::getpid(), kAskStatus);
        } catch (const std::exception& error) {
            answer = error.what();
        }
        loop.post([&loop] { loop.stop(); });
        return answer;
    });
    loop.run();
    return asking.get();
}

}  // namespace

TEST_CASE("a job whose name is taken has another one", "[status_socket]")
{
    CHECK(answer_of_own_job() == "an answer to status");
    const auto taken = take_names({::getpid()}, ::geteuid(), -1);
    REQUIRE(taken.size() == 1);
    CHECK(answer_of_own_job() == "an answer to status");
}

TEST_CASE("another user's sockets are no jobs of this one", "[status_socket]")
{
    if (::geteuid() != 0) {
        WARN("not tested: to be another user takes root");
        return;
    }
    const Outsider outsider({::getpid(), 1, 2});
    CHECK(answer_of_own_job() == "an answer to status");
    const std::vector<int> jobs = jobs_of_user();
    for (const int job : {::getpid(), 1, 2}) {
        CHECK(std::ranges::find(jobs, job) == jobs.end());
        CHECK_THROWS_WITH(JobQuestion(job, kAskStatus), "job " + std::to_string(job) + " is not yours");
    }
}
