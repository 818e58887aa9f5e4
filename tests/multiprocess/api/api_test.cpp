// Programs of the public interface as users run them: by tuttirun, by Open MPI's mpirun, and alone.
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

#include "tests/multiprocess/api/ranks.hpp"

using namespace tutti::test;

namespace {

void check_quiet_success(const Result& result)
{
    CHECK(result.status == 0);
    CHECK(result.err == "");
}

}  // namespace

TEST_CASE("messages of every size and collectives of every root, also with more ranks than cores")
{
    const int count = GENERATE(1, 2, 3, 4, 7, 16);
    if (kSanitized && count != 3)
        return;
    CAPTURE(count);
    const Result messages = tuttirun(ranks(count, "messages"));
    check_quiet_success(messages);
    CHECK(messages.out == "");
    check_quiet_success(tuttirun(ranks(count, "collectives")));
}

TEST_CASE("every collective in every form")
{
    check_quiet_success(tuttirun(ranks(kSanitized ? 3 : GENERATE(1, 3, 4), "every_collective", {kSanitized ? "700" : "3000"})));
}

TEST_CASE("buffers whose type is known at run time")
{
    check_quiet_success(tuttirun(ranks(GENERATE(1, 3), "typed")));
}

TEST_CASE("windows, also with more ranks than cores")
{
    const int count = GENERATE(1, 2, 3, 5, 8);
    if (kSanitized && count > 3)
        return;
    check_quiet_success(tuttirun(ranks(count, "windows")));
}

TEST_CASE("small collectives in a row, through shared memory", "[board]")
{
    const int count = GENERATE(2, 3, 5, 8, 17);
    const std::string shared_cores = GENERATE("0", "1");
    if (count > 3 && shared_cores == "0")
        return;  // many ranks that believe to have a core each take long
    if (kSanitized && (count != 3 || shared_cores == "0"))
        return;
    CAPTURE(count, shared_cores);
    std::vector<std::string> arguments = ranks(count, "shared_board");
    arguments.insert(arguments.begin(), {"-x", "TUTTI_SHARED_CORES=" + shared_cores});
    const Result result = tuttirun(arguments);
    check_quiet_success(result);
    CHECK(result.out == "shared memory was used\n");
}

TEST_CASE("memory that peers read in place")
{
    const int count = GENERATE(1, 2, 3, 5);
    if (kSanitized && count != 3)
        return;
    CAPTURE(count);
    check_quiet_success(tuttirun(ranks(count, "shared_memory")));
}

TEST_CASE("a sender that is stopped while it has a part in a copy delays that message alone")
{
    std::vector<std::string> arguments = ranks(3, "stopped_helper");
    arguments.insert(arguments.begin(), {"-x", "TUTTI_SHARED_CORES=0", "--timeout", "100"});
    check_quiet_success(tuttirun(arguments));
}

TEST_CASE("ranks that all send to all, little at a time, take little memory a pair")
{
    if (kSanitized)
        return;  // a sanitizer takes more
    const Result result = tuttirun(ranks(32, "many_peers"));
    check_quiet_success(result);
    CAPTURE(result.out);
    CHECK(std::stod(result.out) > 4);
    CHECK(std::stod(result.out) < 24);  // a whole ring of each would be 128
}

TEST_CASE("communicators beyond those that have shared memory of their own do without", "[board]")
{
    std::vector<std::string> arguments = ranks(3, "many_communicators", {"2400", "6000"});
    arguments.insert(arguments.begin(), {"-x", "TUTTI_SHARED_CORES=1"});
    check_quiet_success(tuttirun(arguments));
}

TEST_CASE("thirty thousand communicators beside each other", "[.][long]")
{
    const int count = GENERATE(2, 3, 5);
    CAPTURE(count);
    Launched launched(tuttirun_command(ranks(count, "many_communicators", {"30000"})),
                      std::chrono::seconds(300));
    check_quiet_success(launched.wait());
}

TEST_CASE("a flood of messages that nobody asked for is bounded")
{
    if (kSanitized)
        return;  // a sanitizer keeps what is freed
    check_quiet_success(tuttirun(ranks(GENERATE(2, 4), "flood")));
}

TEST_CASE("ranks that wait use no processor time")
{
    check_quiet_success(tuttirun(ranks(kSanitized ? 5 : GENERATE(2, 5), "sleeper")));
}

TEST_CASE("a progress thread moves on what ranks have started while they compute")
{
    const int count = GENERATE(1, 2, 3, 4, 7);
    if (kSanitized && count != 3)
        return;
    // On the program's core; on another, where the thread also begins the collectives.
    const std::string cores = GENERATE("1", "3");
    CAPTURE(count, cores);
    std::vector<std::string> arguments = ranks(count, "progress");
    arguments.insert(arguments.begin(), {"-x", "TUTTI_PROGRESS=thread", "-x", "TUTTI_CORES=" + cores});
    check_quiet_success(tuttirun(arguments));
}

TEST_CASE("what works without a progress thread works with one")
{
    const std::string name = GENERATE("messages", "collectives", "shared_memory", "sleeper");
    if (kSanitized && (name == "messages" || name == "sleeper"))
        return;
    CAPTURE(name);
    std::vector<std::string> arguments = ranks(3, name);
    arguments.insert(arguments.begin(), {"-x", "TUTTI_PROGRESS=thread", "-x", "TUTTI_CORES=2"});
    check_quiet_success(tuttirun(arguments));
}

TEST_CASE("a soak of all kinds of messages among eight ranks")
{
    const Result result = tuttirun(ranks(8, "soak", {"--seconds", kSanitized ? "2" : "5"}));
    check_quiet_success(result);
    CHECK(contains(result.out, "MB checked"));
}

TEST_CASE("the same programs alone are jobs of one rank")
{
    for (const std::string name : {"messages", "collectives", "sleeper"}) {
        INFO(name);
        check_quiet_success(Launched({program("api_" + name)}).wait());
    }
}

TEST_CASE("the same programs under Open MPI's mpirun and MPICH's mpiexec")
{
    const bool is_hydra = GENERATE(false, true);
    const char* const starter = std::getenv(is_hydra ? "HYDRA_MPIEXEC" : "OPENMPI_MPIRUN");
    if (starter == nullptr || *starter == '\0') {
        WARN((is_hydra ? "mpiexec.hydra" : "mpirun.openmpi") << " is not installed");
        return;
    }
    for (const std::string name : {"messages", "collectives"}) {
        for (const int count : is_hydra ? std::vector{1, 3, 4} : std::vector{1, 2, 5}) {
            const bool is_needed = !is_hydra || count == 3 || name == "collectives";
            if (!is_needed || (kSanitized && count != (is_hydra ? 3 : 2)))
                continue;
            INFO(name << ", " << count << " ranks of " << starter);
            std::vector<std::string> words{starter, "-n", std::to_string(count), program("api_" + name)};
            if (!is_hydra)
                words.insert(words.begin() + 1, {"--allow-run-as-root", "--oversubscribe"});
            Launched job(words);
            const Result result = job.wait();
            CHECK(result.status == 0);
            CHECK(result.out == "");
        }
    }
}
