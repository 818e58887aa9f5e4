// What is told of ranks that die: why, on which host, and where in the user's program.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <catch2/catch.hpp>

#include "launcher/stacks/read_stacks.hpp"
#include "tests/json.hpp"
#include "tests/multiprocess/launched.hpp"

using namespace tutti::test;

namespace {

/// Sanitizers handle these signals themselves, and tell more.
const bool kTold = !kSanitized;

std::vector<std::string> dying(const std::string& how, std::vector<std::string> options = {"-n", "2"},
                               const std::string& which = "dies")
{
    options.insert(options.end(), {program(which), how});
    return options;
}

/// That the job has ended so, and that these lines are told, in this order.
void check_reported(const Result& result, int status, const std::vector<std::string>& lines)
{
    CAPTURE(result.err);
    CHECK(result.status == status);
    if (!kTold)
        return;
    std::size_t from = 0;
    for (const std::string& line : lines) {
        CAPTURE(line);
        const std::size_t found = result.err.find(line, from);
        CHECK(found != std::string::npos);
        from = found == std::string::npos ? from : found + line.size();
    }
}

/// The lines of a stack, where this build reads stacks.
std::vector<std::string> with_stack(std::vector<std::string> lines, const std::vector<std::string>& stack)
{
    if (tutti::launcher::why_no_stacks().empty())
        lines.insert(lines.end(), stack.begin(), stack.end());
    return lines;
}

}  // namespace

TEST_CASE("a rank that dies by a fault is reported with its reason and its place")
{
    struct {
        const char* how;
        int signal;
        const char* reason;
        const char* place;
    } const cases[] = {
        {"segfault", SIGSEGV, "Segmentation fault at address 0x0, through a null pointer",
         "\n    (anonymous namespace)::store_into(int*) at dies.cpp:23\n"},
        {"fpe", SIGFPE, "Floating point exception: integer division by zero",
         "\n    (anonymous namespace)::divide(int) at dies.cpp:28\n"},
        {"bus", SIGBUS, "Bus error at address 0x", "::store_into(int*) at dies.cpp:23\n"},
        {"ill", SIGILL, "Illegal instruction at address 0x", "::die("},
        {"overflow", SIGSEGV, ": the stack has overflowed (ulimit -s)", "::fill_stack(int) at dies.cpp:"},
        {"abort", SIGABRT, "(Aborted", "\n    (anonymous namespace)::give_up() at dies.cpp:"},
    };
    for (const auto& [how, signal, reason, place] : cases) {
        CAPTURE(how);
        const Result result = tuttirun(dying(how));
        check_reported(result, 128 + signal,
                       with_stack({"tuttirun: rank 1 (pid ", "was killed by signal " + std::to_string(signal),
                                   reason, "; ending the job"},
                                  {place}));
        CHECK(result.seconds < kSoonSeconds);
    }
}

TEST_CASE("a rank of an MPI program is reported likewise")
{
    check_reported(tuttirun(dying("segfault", {"-n", "2"}, "dies_mpi")), 128 + SIGSEGV,
                   with_stack({"rank 1 (pid ", "Segmentation fault at address 0x0, through a null pointer"},
                              {"\n    store_into at dies_mpi.c:12", "\n    main at dies_mpi.c:"}));
    CHECK((!kTold || contains(tuttirun(dying("segfault", {"-n", "2"}, "dies_mpi")).err,
                              "\n    its last call of Tutti: barrier #0 of world")));
    check_reported(
        tuttirun(dying("overflow", {"-n", "1"}, "dies_mpi")), 128 + SIGSEGV,
        with_stack({": the stack has overflowed"}, {"fill_stack at dies_mpi.c:", "which has called itself"}));
    check_reported(
        tuttirun(dying("abort", {"-n", "2"}, "dies_mpi")), 128 + SIGABRT,
        with_stack({"was killed by signal 6 (Aborted"}, {"main at dies_mpi.c:", "in libraries: abort"}));
    check_reported(tuttirun(dying("call_abort", {"-n", "2"}, "dies_mpi")), 6,
                   with_stack({"called MPI_Abort with error code 6"}, {"\n    main at dies_mpi.c:"}));
    check_reported(tuttirun(dying("exit", {"-n", "2"}, "dies_mpi")), 1, {"without calling MPI_Finalize"});
    check_reported(tuttirun(dying("thread_overflow", {"-n", "2"}, "dies_mpi")), 128 + SIGSEGV,
                   with_stack({"rank 1 (pid ", ": the stack has overflowed"}, {"fill_stack at dies_mpi.c:"}));
    check_reported(tuttirun({"-n", "2", program("throws_mpi")}), 1,
                   with_stack({"rank 1 (pid ", "uncaught exception: the grid is empty; ending the job"},
                              {"\n    (anonymous namespace)::complain() at throws_mpi.cpp:",
                               "main at throws_mpi.cpp:"}));
}

TEST_CASE("an exception that nobody catches is reported with its words and the place where it was thrown")
{
    check_reported(tuttirun(dying("exception")), 1,
                   with_stack({"rank 1 (pid ", "uncaught exception: the grid is empty; ending the job"},
                              {"\n    (anonymous namespace)::complain() at dies.cpp:", "main at dies.cpp:"}));
}

TEST_CASE("a call of abort is reported with its place")
{
    check_reported(tuttirun(dying("call_abort")), 5,
                   with_stack({"called abort with status 5: ", "no more paper; ending the job"},
                              {"::die(", "main at dies.cpp:"}));
}

TEST_CASE("an end without finalize, and by a signal that cannot be handled, have no stack")
{
    const Result left = tuttirun(dying("exit"));
    check_reported(left, 1, {"exited with status 0 without calling finalize; ending the job\n"});
    CHECK(lines_of(left.err).size() == 1);
    const Result killed = tuttirun(dying("killed"));
    check_reported(killed, 128 + SIGKILL, {"was killed by signal 9 (Killed); ending the job\n"});
    CHECK(lines_of(killed.err).size() == 1);
}

TEST_CASE("a thread's crash is reported")
{
    check_reported(tuttirun(dying("thread_overflow")), 128 + SIGSEGV,
                   with_stack({"tuttirun: rank 1 (pid ", ": the stack has overflowed"},
                              {"::fill_stack(int) at dies.cpp:"}));
    check_reported(
        tuttirun(dying("thread")), 128 + SIGSEGV,
        with_stack({"Segmentation fault at address 0x0"}, {"::store_into(int*) at dies.cpp:23\n"}));
}

TEST_CASE("a program's own handlers work, whether they came before or after the start")
{
    for (const char* const how : {"own_handler", "earlier_handler"}) {
        const Result result = tuttirun(dying(how));
        CAPTURE(how, result.err);
        CHECK(result.status == 23);
        CHECK(result.out == "my own handler\n");
        CHECK(contains(result.err, "exited with status 23; ending the job\n"));
        CHECK(lines_of(result.err).size() == 1);
    }
}

TEST_CASE(
    "crashes before and after the job, of forked children, and where it is switched off, are as without "
    "Tutti")
{
    for (const char* const how : {"before", "after"}) {
        const Result result = tuttirun(dying(how));
        CAPTURE(how, result.err);
        if (!kSanitized)
            CHECK(result.status == 128 + SIGSEGV);
        if (kTold) {
            CHECK(contains(result.err, "was killed by signal 11 (Segmentation fault"));
            CHECK_FALSE(contains(result.err, "dies.cpp"));
        }
    }
    Launched with_child(tuttirun_command(dying("fork", {"--timeout", "1", "-n", "1"})));
    const Result forked = with_child.wait();
    CAPTURE(forked.err);
    CHECK(forked.status == 124);
    CHECK_FALSE(contains(forked.err, "killed by signal"));
    const Result off = tuttirun(dying("segfault", {"-n", "2", "-x", "TUTTI_CRASH_STACKS=0"}));
    CAPTURE(off.err);
    if (kTold) {
        CHECK(off.status == 128 + SIGSEGV);
        CHECK(lines_of(off.err).size() == 1);
        CHECK(contains(off.err, "was killed by signal 11 (Segmentation fault"));
    }
    CHECK(contains(tuttirun(dying("segfault", {"-n", "1", "-x", "TUTTI_CRASH_STACKS=no"})).err,
                   "TUTTI_CRASH_STACKS=no is neither 0 nor 1"));
}

TEST_CASE("a core file is left as without Tutti")
{
    if (file_text("/proc/sys/kernel/core_pattern") != "core\n" || !kTold)
        return;
    const std::string here = std::filesystem::temp_directory_path() / "tutti-core-XXXXXX";
    std::string folder = here;
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    const Result result =
        tuttirun({"-n", "1", "--wdir", folder, "sh", "-c",
                  "ulimit -c unlimited && exec " + shell_quoted(program("dies")) + " segfault"});
    CAPTURE(result.err);
    CHECK(result.status == 128 + SIGSEGV);
    bool has_core = false;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        has_core = has_core || entry.path().filename().string().starts_with("core");
    CHECK(has_core == contains(result.err, ", core dumped)"));
    CHECK(has_core);
    std::filesystem::remove_all(folder);
}

TEST_CASE("a rank behind a shell is reported")
{
    const Result result =
        tuttirun({"-n", "1", "sh", "-c", shell_quoted(program("dies")) + " segfault 2> /dev/null; exit $?"});
    check_reported(result, 128 + SIGSEGV,
                   with_stack({"exited with status 139 behind a crash: Segmentation fault at address 0x0"},
                              {"::store_into(int*) at dies.cpp:23\n"}));
}

TEST_CASE("where no process may look into another, all but the stack is reported, and what would allow it")
{
    if (!tutti::launcher::why_no_stacks().empty())
        return;
    std::vector<std::string> command = tuttirun_command(dying("not_to_be_seen"));
    if (::geteuid() == 0) {
        // Root's processes must not have the right to, either.
        const std::vector<std::string> without{"/usr/bin/setpriv", "--bounding-set=-sys_ptrace",
                                               "--inh-caps=-sys_ptrace"};
        if (!std::filesystem::exists(without.front())) {
            WARN("not tested: there is no setpriv");
            return;
        }
        command.insert(command.begin(), without.begin(), without.end());
    }
    const Result result = Launched(command).wait();
    check_reported(
        result, 128 + SIGSEGV,
        {"tuttirun: rank 1 (pid ", "Segmentation fault at address 0x0, through a null pointer",
         "; ending the job\n    (no stack: ", "ptrace", "\n    its last call of Tutti: barrier #0 of world"});
    CHECK_FALSE(contains(result.err, "dies.cpp"));
}

TEST_CASE("ranks that die alike are one report")
{
    const Result result = tuttirun({"-n", "10", program("dies"), "segfault", "all"});
    CAPTURE(result.err);
    if (!kTold)
        return;
    CHECK(result.status == 128 + SIGSEGV);
    const std::vector<std::string> lines = lines_of(result.err);
    const auto count = [&lines](const std::string& words) {
        return std::ranges::count_if(lines, [&](const std::string& line) { return contains(line, words); });
    };
    CHECK(count("was killed by signal 11") == 1);
    CHECK(count("store_into") == (tutti::launcher::why_no_stacks().empty() ? 1 : 0));
    CHECK(count("died alike") == 1);
    CHECK(contains(lines.back(), "died alike"));
}

TEST_CASE("how a job went is written as JSON")
{
        const auto report_of = [](std::vector<std::string> words, int status) {
        std::string file = std::filesystem::temp_directory_path() / "tutti-report-XXXXXX";
        ::close(::mkstemp(file.data()));
        words.insert(words.begin(), {"--report-json", file});
        CHECK(tuttirun(words).status == status);
        const Json report = Json(file_text(file));
        std::filesystem::remove(file);
        CHECK(report["exit_status"] == status);
        return report;
    };
    const Json well = report_of({"-n", "3", "true"}, 0);
    CHECK(well["ranks"] == 3);
    CHECK(well["programs"] == Json(R"([["true"]])"));
    CHECK(well["cause"].is_null());
    REQUIRE(well["outcomes"].size() == 1);
    CHECK(well["outcomes"][0]["outcome"] == "exited with status 0");
    CHECK(well["outcomes"][0]["ranks"] == "0-2");
    CHECK(well["outcomes"][0]["hosts"] == well["hosts"]);
    CHECK(well["started"].text() <= well["ended"].text());

    const Json timeout = report_of({"-n", "1", "--timeout", "0.2", "sleep", "100"}, 124);
    CHECK(timeout["cause"]["kind"] == "timeout");

    if (kTold) {
        const Json crash = report_of(dying("segfault"), 128 + SIGSEGV);
        const Json cause = crash["cause"];
        CHECK(cause["kind"] == "rank_killed");
        CHECK(cause["rank"] == 1);
        CHECK(cause["host"] == crash["hosts"][0]);
        CHECK(cause["signal"] == SIGSEGV);
        CHECK(cause["signal_name"] == "SIGSEGV");
        CHECK(cause["reason"] == "Segmentation fault at address 0x0, through a null pointer");
        CHECK(cause["message"].text().ends_with("; ending the job"));
        CHECK(cause["last_call"] == "barrier #0 of world");
        if (tutti::launcher::why_no_stacks().empty()) {
            CHECK(cause["stack"][0]["file"] == "dies.cpp");
            CHECK(cause["stack"][0]["line"] == 23);
        } else {
            CHECK(cause["stack_missing"] == tutti::launcher::why_no_stacks());
        }
    }
    const Json left = report_of(dying("exit"), 1);
    CHECK(left["cause"]["kind"] == "rank_left");
    CHECK(left["cause"]["rank"] == 1);
    const Json failed = report_of({"-n", "2", "sh", "-c", "exit $((PMIX_RANK * 3))"}, 3);
    CHECK(failed["cause"]["kind"] == "rank_failed");
    CHECK(failed["cause"]["rank"] == 1);
    const Json aborted = report_of(dying("call_abort"), 5);
    CHECK(aborted["cause"]["kind"] == "rank_aborted");
    CHECK(aborted["cause"]["rank"] == 1);
    const Json missing = report_of({"-n", "2", "/no/such/program"}, 127);
    CHECK(missing["cause"]["kind"] == "rank_not_started");
    CHECK(missing["outcomes"][0]["outcome"] == "unknown");

    const Result unwritable = tuttirun({"--report-json", "/no/such/folder/report", "-n", "1", "true"});
    CHECK(unwritable.status == 2);
    CHECK(contains(unwritable.err, "--report-json: cannot write /no/such/folder/report: No such file"));
}
