// Programs that hang: the report comes in time and says why.
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <catch2/catch.hpp>

#include "tests/multiprocess/launched.hpp"
#include "tests/multiprocess/on_hosts.hpp"

using namespace tutti::test;

namespace {

struct Hang {
    std::string name;
    int ranks;
    Words words;  // that the report must have
};

Words hanging(const Hang& hang, Words options)
{
    options.insert(options.end(), {"-n", std::to_string(hang.ranks), program("api_hangs"), hang.name});
    return options;
}

void check_words(const std::string& text, const Words& words)
{
    CAPTURE(text);
    for (const std::string& word : words) {
        CAPTURE(word);
        CHECK(contains(text, word));
    }
}

/// What the job has said when it has said all the words, or after a long time.
std::string reported_in_time(Launched& job, const Words& words)
{
    for (int i = 0; i < 4000; ++i) {
        const std::string& text = job.so_far().err;
        if (std::ranges::all_of(words, [&](const std::string& word) { return contains(text, word); }))
            break;
        ::usleep(10'000);
    }
    return job.so_far().err;
}

}  // namespace

TEST_CASE("a certain deadlock is reported by itself, and may end the job", "[hangs]")
{
    const Hang hang = GENERATE(
        Hang{"both_receive",
             2,
             {"rank 0 (host ", "): recv from 1, tag 5, for ", "): recv from 0, tag 5, for ",
              "- a circle: rank 0 waits for rank 1 (recv, tag 5), rank 1 waits for rank 0 (recv, tag 5); "
              "none of them can go on\n"}},
        Hang{"cycle",
             3,
             {"rank 0 waits for rank 1 (recv, tag 5), rank 1 waits for rank 2 (recv, tag 5), rank 2 waits "
              "for rank 0 (recv, tag 5); none"}},
        Hang{"both_send",
             2,
             {"send of 64 MiB to 1, tag 5, for ",
              "rank 0 waits for rank 1 (send, tag 5), rank 1 waits for rank 0 (send, tag 5); none",
              "- each of them sends before it receives, and the send of a long message ends when its "
              "receiver takes "
              "it: let one of them receive first, or use sendrecv, or isend before the receive and wait() "
              "after it\n"}},
        Hang{
            "barrier_against_recv",
            3,
            {"ranks 0, 2 (host ", "): barrier #0 of world, ", "rank 1 (host ", "): recv from 0, tag 42, for ",
             "a circle: rank 0 waits for rank 1 (barrier #0 of world), rank 1 waits for rank 0 (recv, tag "
             "42); none",
             "- rank 1 has not entered barrier #0 of world: recv from 0, tag 42, for "}},
        Hang{"wrong_tag",
             2,
             {"- a message from rank 0 with tag 24 (4 B) is at rank 1, where tag 42 is awaited\n"}},
        Hang{"waits", 2, {"wait for a receive from 1, tag 2, for ", "none of them can go on"}},
        Hang{"window_fence",
             2,
             {"): barrier #", " of window \"table\", in fence, by ",
              "rank 1 waits for rank 0 (recv, tag 42); none", "- rank 1 has not entered barrier #",
              " of window \"table\": recv from 0, tag 42, for "}},
        Hang{"window_locks",
             2,
             {"): lock of 1 (held by 1), on window \"table\", exclusive, in the epoch of lock(), for ",
              "): lock of 0 (held by 0), on window \"table\", exclusive, in the epoch of lock(), for ",
              "a circle: rank 0 waits for rank 1 (lock, on window \"table\"), rank 1 waits for rank 0 "
              "(lock, on window \"table\"); none of them can go on\n"}});
    std::string file = std::filesystem::temp_directory_path() / "tutti-report-XXXXXX";
    ::close(::mkstemp(file.data()));
    const Result result =
        tuttirun(hanging(hang, {"--timeout", "20", "--on-deadlock", "abort", "--report-json", file}));
    const std::string report = file_text(file);
    std::filesystem::remove(file);
    CHECK(contains(report, "\"exit_status\": 35"));
    CHECK(contains(report, "\"kind\": \"deadlock\""));
    // A line of the program, or why there is none.
    CHECK((contains(result.err, " at hangs.cpp:") || contains(result.err, "ptrace") ||
           contains(result.err, "libdw")));
    check_words(result.err, hang.words);
    check_words(result.err,
                {"tuttirun: a deadlock:\n", "tuttirun: ending the job, as --on-deadlock abort asks\n"});
    CHECK(result.status == 35);
    CHECK(result.seconds < 2 + kSoonSeconds);
}

TEST_CASE("a hang that is no certain deadlock is reported after a while, and the job goes on", "[hangs]")
{
    Hang hang = GENERATE(
        Hang{"stops",
             2,
             {"rank 1 (host ", "): stopped for ", "- rank 1 has not entered barrier #1 of world",
              "- rank 1 is stopped; 'kill -CONT "}},
        Hang{
            "sleeps",
            2,
            {"rank 0 (host ", "): asleep outside of Tutti for ", "- rank 0 is asleep outside of Tutti for ",
             "and others wait for it: no deadlock, if it goes on",
             "- rank 0 has not entered barrier #0 of world: asleep outside of Tutti", "- rank 0 is here:\n"}},
        Hang{"users_lock",
             2,
             {"): recv from 1, tag 7, for ", "): recv from 0, tag 8, for ",
              "rank 0 waits for rank 1 (recv, tag 7), rank 1 waits for rank 0 (recv, tag 8)\n"}},
        Hang{"window_epochs",
             3,
             {"): wait, until 1 completes, on window 1, in the epoch of post(), for ",
              "): start, until 1 posts, on window 1, for ",
              "rank 0 waits for rank 1 (wait, on window 1), rank 1 waits for rank 0 (recv, tag 5)\n"}},
        Hang{"window_get",
             2,
             {"): get of 24 B from 0, on window \"table\", bytes 16 to 40, in unlock_all(), in the epoch of "
              "lock_all(), for ",
              "- rank 0 is asleep outside of Tutti for ", "and others wait for it"}},
        Hang{"window_request",
             2,
             {"): get of 24 B from 0, on window \"table\", bytes 24 to 48, in the epoch of lock_all(), for ",
              "- rank 0 is asleep outside of Tutti for ", "and others wait for it"}});
    Launched job(tuttirun_command(hanging(hang, {"--hang-report", "1", "--on-deadlock", "abort"})),
                 std::chrono::seconds(60));
    hang.words.push_back(
        hang.name == "sleeps" || hang.name == "window_get" || hang.name == "window_request"
            ? "tuttirun: ranks wait for others that are asleep outside of Tutti, and nothing "
              "has moved for 1 s:\n"
            : "tuttirun: all ranks wait, and nothing has moved for 1 s:\n");
    if (hang.name == "stops")  // again after twice as long
        hang.words.push_back("tuttirun: all ranks wait, and nothing has moved for 2 s:\n");
    check_words(reported_in_time(job, hang.words), hang.words);
    CHECK_FALSE(contains(job.so_far().err, "a deadlock"));
    job.signal(SIGTERM);
    CHECK(job.wait().status == 128 + SIGTERM);
}

TEST_CASE("a rank that a debugger holds is reported", "[hangs]")
{
    Launched job(tuttirun_command(
        {"--hang-report", "1", "-v", "-n", "2", program("api_hangs"), "barrier_against_recv"}));
    REQUIRE(job.wait_for_output("ready\nready\n"));
    const std::string first = reported_in_time(job, {"rank 1 is pid "});
    const pid_t rank = std::stoi(first.substr(first.find("rank 1 is pid ") + 14));
    REQUIRE(::ptrace(PTRACE_SEIZE, rank, nullptr, nullptr) == 0);
    REQUIRE(::ptrace(PTRACE_INTERRUPT, rank, nullptr, nullptr) == 0);
    REQUIRE(::waitpid(rank, nullptr, __WALL) == rank);
    const std::string held = "- rank 1 is held by a debugger (pid " + std::to_string(rank) + ")\n";
    for (int i = 0; i < 200 && !contains(job.so_far().err, held); ++i) {
        job.signal(SIGQUIT);
        ::usleep(100'000);
    }
    check_words(job.so_far().err, {"rank 1 (host ", "): held by a debugger for ", held});
    ::ptrace(PTRACE_DETACH, rank, nullptr, nullptr);
    job.signal(SIGTERM);
    CHECK(job.wait().status == 128 + SIGTERM);
}

TEST_CASE("a rank that is swapped out is reported", "[hangs]")
{
    struct sysinfo machine {};
    if (::sysinfo(&machine) != 0 || machine.freeswap * machine.mem_unit < std::uint64_t{64} << 20) {
        WARN("not tested: there are not 64 MiB of swap space");
        return;
    }
    const Hang hang{"swapped_out", 2, {"rank 1 (host ", "- rank 1 has ", " MiB in swap space\n"}};
    Launched job(tuttirun_command(hanging(hang, {"--hang-report", "1"})), std::chrono::seconds(60));
    check_words(reported_in_time(job, hang.words), hang.words);
    job.signal(SIGTERM);
    CHECK(job.wait().status == 128 + SIGTERM);
}

TEST_CASE("where no process may look into another, all but the stack is reported, and what would allow it",
          "[hangs]")
{
    Words command =
        tuttirun_command(hanging({"not_to_be_seen", 2, {}}, {"--timeout", "20", "--on-deadlock", "abort"}));
    if (::geteuid() == 0) {
        // Root's processes must not have the right to, either.
        const Words without{"/usr/bin/setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"};
        if (!std::filesystem::exists(without.front())) {
            WARN("not tested: there is no setpriv");
            return;
        }
        command.insert(command.begin(), without.begin(), without.end());
    }
    const Result result = Launched(command).wait();
    check_words(result.err, {"tuttirun: a deadlock:\n", "rank 0 (host ", "): recv from 1, tag 5, for ",
                             "none of them can go on\n", "- rank 0 is here:\n", "- rank 1 is here:\n"});
    CHECK((contains(result.err,
                    "    no process may look into another here; in a container allow ptrace "
                    "(--cap-add=SYS_PTRACE)") ||
           contains(result.err, "(kernel.yama.ptrace_scope is ") || contains(result.err, "libdw")));
    CHECK_FALSE(contains(result.err, "hangs.cpp:"));
    CHECK(result.status == 35);
}

TEST_CASE("--timeout tells what the ranks do before it ends the job", "[hangs]")
{
    const Result result =
        tuttirun(hanging({"computes", 2, {}}, {"--hang-report", "0", "--timeout", kSanitized ? "8" : "2"}));
    check_words(result.err,
                {"tuttirun: what the ranks do:\n", "rank 0 (host ",
                 "): allreduce #0 of world, 1 MiB, sum of float32, by ", "rank 1 (host ", "): computing for ",
                 "- rank 1 has not entered allreduce #0 of world: computing", "did not end within"});
    CHECK_FALSE(contains(result.err, "nothing has moved"));
    CHECK(result.status == 124);
}

TEST_CASE("signals and --status tell what the ranks do, and the job goes on", "[hangs]")
{
    Launched job(tuttirun_command(hanging({"cycle", 3, {}}, {"--hang-report", "0"})));
    REQUIRE(job.wait_for_output("ready\nready\nready\n"));
    const std::string own = std::to_string(job.pid());
    const Result asked = tuttirun({"--status", own});
    CHECK(asked.status == 0);
    check_words(asked.out, {"job " + own + ": 3 ranks of ", "rank 2 (host "});
    for (const int signal : {SIGQUIT, SIGUSR2}) {
        const std::string title = "what the ranks do, as signal " + std::to_string(signal) + " asks:\n";
        job.signal(signal);
        for (int i = 0; i < 500 && !contains(job.so_far().err, title); ++i)
            ::usleep(10'000);
        CHECK(contains(job.so_far().err, title));
    }
    job.signal(SIGTERM);
    CHECK(job.wait().status == 128 + SIGTERM);
    const Result late = tuttirun({"--status", own});
    CHECK(late.status == 1);
    CHECK(contains(late.err, "no job " + own + " of yours runs on this machine"));
}

TEST_CASE("the report of many ranks is one screen", "[hangs][many]")
{
    constexpr std::size_t kScreenLines = 50;
    // Ranks take long to start, so the second case has fewer.
    const int most = kSanitized ? 24 : 128;
    const int many = kSanitized ? 24 : 48;
    const Hang hang = GENERATE_REF(
        Hang{"barrier_against_recv",
             most,
             {"\n  ranks 0, 2-" + std::to_string(most - 1) + " (host ", "\n  rank 1 (host ",
              "- rank 1 has not entered barrier #0", "- rank 1 is here:\n"}},
        Hang{"cycle",
             many,
             {"\n  ranks 0-" + std::to_string(many - 1) + " (host ",
              "): recv from different ranks, tag 5, for ",
              "rank 6 waits for rank 7 (recv, tag 5), and so on through ", "- rank 2 is here:\n"}});
    Launched job(tuttirun_command(hanging(hang, {"--timeout", "80", "--on-deadlock", "abort"})),
                 std::chrono::seconds(90));
    const Result result = job.wait();
    check_words(result.err, hang.words);
    CHECK(result.status == 35);
    CHECK(lines_of(result.err).size() <= kScreenLines);
}

TEST_CASE("two ranks on two hosts that both receive are a deadlock", "[hangs]")
{
    const Result result = tuttirun(on_hosts(
        {1, 1}, {"--timeout", "20", "--on-deadlock", "abort", program("api_hangs"), "both_receive"}));
    check_words(result.err, {"rank 0 (host h0): recv from 1, tag 5", "rank 1 (host h1): recv from 0, tag 5",
                             "none of them can go on"});
    CHECK(result.status == 35);
}

TEST_CASE("who holds the lock of a window is reported, also over hosts", "[hangs]")
{
    const bool one_host = GENERATE(true, false);
    const Hang hang = GENERATE(
        Hang{"window_readers",
             4,
             {"rank 3 (host ", "): lock of 0 (held by 1, 2, shared), on window \"table\", exclusive, for ",
              "- rank 3 waits for ranks 1, 2, which hold the lock of 0 on window \"table\", shared: recv "
              "from 0, tag 42, for "}},
        Hang{"window_writer",
             4,
             {"ranks 0-2 (host", "): lock of 0 (held by 3), on window \"table\", exclusive, for ",
              "- ranks 0-2 wait for rank 3, which holds the lock of 0 on window \"table\": asleep outside "
              "of Tutti for ",
              "- rank 3 is here:\n"}});
    CAPTURE(one_host, hang.name);
    const Words options{"--hang-report", "1"};
    Words command = hanging(hang, options);
    if (!one_host) {
        command = on_hosts({2, 2}, options);
        command.insert(command.end(), {program("api_hangs"), hang.name});
    }
    Launched job(tuttirun_command(command), std::chrono::seconds(60));
    check_words(reported_in_time(job, hang.words), hang.words);
    job.signal(SIGTERM);
    CHECK(job.wait().status == 128 + SIGTERM);
}

TEST_CASE("a job in which ranks are late gets no report", "[hangs]")
{
    const Result result = tuttirun(
        hanging({"late", 3, {}}, {"--hang-report", kSanitized ? "6" : "1.5", "--on-deadlock", "abort"}));
    CHECK(result.status == 0);
    CHECK(result.err == "");
}
