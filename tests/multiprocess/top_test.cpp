// tuttirun --top, in a terminal of tmux's and without one.
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "launcher/report/status_socket.hpp"
#include "tests/multiprocess/launched.hpp"
#include "tests/multiprocess/terminal.hpp"

using namespace tutti::test;

namespace {

using tutti::launcher::JobQuestion;

class Job : public Launched {
public:
    Job(int ranks, const std::string& hang, const std::string& file = program("api_hangs"))
        : Launched(tuttirun_command({"--hang-report", "0", "-n", std::to_string(ranks), file, hang}),
                   std::chrono::seconds(60))
    {
        std::string ready;
        for (int rank = 0; rank < ranks; ++rank)
            ready += "ready\n";
        REQUIRE(wait_for_output(ready));
    }
    std::string top() const { return shell_quoted(std::getenv("TUTTIRUN")) + " --top " + number(); }
    std::string number() const { return std::to_string(pid()); }
    void end()
    {
        signal(SIGTERM);
        CHECK(wait().status == 128 + SIGTERM);
    }
};

}  // namespace

TEST_CASE("a live view shows ranks, one rank and its stack, and the end of the job", "[top]")
{
    if (!Terminal::is_possible())
        return;
    Job job(3, "barrier_against_recv");
    Terminal terminal(job.temporary_directory(), 80, 24, job.top());
    CHECK(terminal.shows("job " + job.number() + ": 3 ranks of "));
    CHECK(terminal.shows("longest wait: rank "));
    CHECK(terminal.shows("barrier #0 of world"));
    CHECK(terminal.shows("recv from 0, tag 42"));
    CHECK(contains(terminal.text(), "RANKS "));
    CHECK(contains(terminal.text(), "0, 2 "));
    terminal.press("?");
    CHECK(terminal.shows("A row is all ranks that do the same."));
    terminal.press("Escape");
    CHECK(terminal.shows("0, 2 "));
    terminal.press("r Down Enter");  // two ranks are the first row
    CHECK(terminal.shows("rank 1: recv from 0, tag 42, for "));
    CHECK(terminal.shows("waits for a message from rank 0, tag 42, on world"));
    CHECK(terminal.shows("on host "));
    terminal.press("s");
    CHECK(terminal.shows("stack of rank 1"));
    // A line of the program, or why there is none.
    CHECK((terminal.shows(" at hangs.cpp:") || contains(terminal.text(), "ptrace") ||
           contains(terminal.text(), "libdw")));
    const std::string number = job.number();
    job.end();
    CHECK(terminal.shows("job " + number + " has ended"));
    CHECK(terminal.shows("status 0"));
}

TEST_CASE("a live view fits into a small terminal, follows its size, and quits", "[top]")
{
    if (!Terminal::is_possible())
        return;
    Job job(2, "moves");
    Terminal terminal(job.temporary_directory(), 40, 10, job.top());
    CHECK(terminal.shows("RANKS        TIME CPU% DOES"));
    CHECK(terminal.shows("q quit  ? help  Enter rank"));
    terminal.resize(120, 20);
    CHECK(terminal.shows("OUT/S   MEM MSG/S  QUEUES CALLS/S  IN/S DOES"));
    terminal.resize(30, 4);
    CHECK(terminal.shows("q quit"));
    terminal.press("q");
    terminal.resize(80, 24);
    CHECK(terminal.shows("status 0"));
    CHECK_FALSE(contains(terminal.text(), "has ended"));
    job.end();
}

TEST_CASE("a job that is stopped is reported, and its view quits", "[top]")
{
    if (!Terminal::is_possible())
        return;
    Job job(2, "cycle");
    Terminal terminal(job.temporary_directory(), 80, 24, job.top());
    CHECK(terminal.shows("longest wait: "));
    job.signal(SIGSTOP);
    CHECK(terminal.shows("no answer for "));
    terminal.press("q");
    CHECK(terminal.shows("status 0"));
    job.signal(SIGCONT);
    job.end();
}

TEST_CASE("only a view loads the library that draws", "[top]")
{
    // The parent of a rank is its daemon, a copy of tuttirun.
    const Result result = tuttirun({"-n", "1", "sh", "-c", "cat /proc/$PPID/maps"});
    CHECK(result.status == 0);
    CHECK(contains(result.out, "/launcher/tuttirun\n"));
    for (const char* const library : {"ncurses", "libtinfo", "libtutti_screen"})
        CHECK_FALSE(contains(result.out, library));
}

TEST_CASE("without a terminal a view is printed once, with rates", "[top]")
{
    Job job(2, "moves");
    ::usleep(1'500'000);  // a rate needs two looks
    const std::string number = job.number();
    const Result result = tuttirun({"--top", number});
    CAPTURE(result.out, result.err);
    CHECK(result.status == 0);
    CHECK(result.err == "");
    CHECK(contains(result.out, "job " + number + ": 2 ranks of "));
    CHECK(contains(result.out, "\nRANKS "));
    CHECK_FALSE(contains(result.out, " 0 messages/s"));
    CHECK_FALSE(contains(result.out, "\n0B/s"));
    job.end();
    const Result late = tuttirun({"--top", number});
    CHECK(late.status == 1);
    CHECK(contains(late.err, "no job " + number + " of yours runs on this machine"));
    CHECK(tuttirun({"--top", "1", "2"}).status == 2);
}

TEST_CASE("where several jobs run, each is reported with its program, ranks and age, and how to choose one",
          "[top]")
{
    Job one(3, "cycle");
    // A long path gives way to the program's name.
    std::string folder = std::filesystem::temp_directory_path() / "tutti-top-XXXXXX";
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    const std::string far = folder + "/" + std::string(80, 'd');
    std::filesystem::create_directory(far);
    std::filesystem::create_symlink(program("api_hangs"), far + "/api_hangs");
    Job other(1, "moves", far + "/api_hangs");
    // A stopped one gives no answer, and does not keep the others from theirs.
    Job stopped(1, "moves");
    stopped.signal(SIGSTOP);
    ::usleep(1'100'000);
    for (const std::string option : {"--status", "--top"}) {
        const Result result = tuttirun({option});
        CAPTURE(result.out, result.err);
        CHECK(result.status == 2);
        CHECK(contains(result.err,
                       "several jobs of yours run here; choose one by its number, as in " + option + " "));
        // Other jobs of this user may run here.
        const auto line_of = [&](const Job& job) -> std::string {
            for (const std::string& line : lines_of(result.err))
                if (line.starts_with("  " + job.number() + ": "))
                    return line.substr(job.number().size() + 4);
            return "no line";
        };
        CHECK(line_of(one).starts_with("3 ranks of "));
        CHECK(contains(line_of(one), "api_hangs cycle, for "));
        CHECK(line_of(other).starts_with("1 rank of api_hangs moves, for "));
        CHECK_FALSE(contains(line_of(other), "for less than 1 s"));
        CHECK(line_of(stopped) == "gives no answer: its tuttirun is stopped, or ends");
    }
    stopped.signal(SIGCONT);
    stopped.end();
    other.end();
    one.end();
    std::filesystem::remove_all(folder);
}

TEST_CASE("the last calls of a rank are reported, those that are alike together", "[top]")
{
    Job job(2, "windows");
    const auto tells = [&](int rank, const std::string& words) {
        std::string text;
        for (int tries = 0; tries < 400 && !contains(text, words); ++tries) {
            ::usleep(50'000);
            text = tutti::launcher::ask_job(job.pid(), "rank " + std::to_string(rank));
        }
        CAPTURE(text);
        CHECK(contains(text, words));
        CHECK(contains(text, rank == 0 ? "in all 7 messages sent (28 B), 0 arrived (0 B)"
                                       : "in all 0 messages sent (0 B), 7 arrived (28 B)"));
    };
    tells(0,
          "calls, the newest first:\n  recv from 1, tag 5\n  send of 4 B to 1, tag 4, 2 times\n"
          "  send of 4 B to 1, tag 3, 4 times\n");
    tells(1, "  irecv from 0, tag 4, 2 times\n  irecv from 0, tag 3, 5 times\n");
    job.end();
}

TEST_CASE("another user gets no answer from a job", "[top]")
{
    if (::geteuid() != 0) {
        WARN("not tested: to be another user takes root");
        return;
    }
    Job job(2, "cycle");
    const auto gets_answer = [&job](uid_t user) {
        const pid_t child = ::fork();
        if (child == 0) {
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            const std::string name = "tutti-job-0-" + job.number();
            name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
            const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
            const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
            if (::setgid(user) != 0 || ::setuid(user) != 0 ||
                ::connect(socket, reinterpret_cast<const sockaddr*>(&address), size) != 0)
                ::_exit(99);
            char byte = 0;
            static_cast<void>(::send(socket, "status\n", 7, MSG_NOSIGNAL));
            ::_exit(::recv(socket, &byte, 1, 0) == 1 ? 1 : 0);
        }
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        REQUIRE(WIFEXITED(status));
        return WEXITSTATUS(status);
    };
    CHECK(gets_answer(0) == 1);
    CHECK(gets_answer(65534) == 0);
    job.end();
}

TEST_CASE("askers that stall or talk nonsense do not hold up a job", "[top]")
{
    Job job(2, "moves");
    const int number = job.pid();
    std::vector<JobQuestion> stalled;  // nobody reads their answers
    for (int i = 0; i < 40; ++i)
        stalled.emplace_back(job.pid(), i % 2 == 0 ? "snapshot" : "status");
    std::vector<JobQuestion> odd;
    for (const std::string& words :
         {std::string(), std::string(50'000, 'x'), std::string("rank"), std::string("rank -1"),
          std::string("rank 99999999999"), std::string("stack 7")})
        odd.emplace_back(job.pid(), words);
    CHECK(contains(tutti::launcher::ask_job(job.pid(), "rank 1"), "rank 1: "));
    CHECK(contains(tutti::launcher::ask_job(job.pid(), "rank 7"), "there is no rank 7; the job has 2"));
    CHECK(contains(tutti::launcher::ask_job(job.pid(), "weather"), "does not know the question"));
    job.end();
    CHECK_THROWS_AS(tutti::launcher::ask_job(number, "status"), tutti::launcher::NoSuchJob);
}
