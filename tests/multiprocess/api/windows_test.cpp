// Windows between processes: changed by all at once, over hosts, and by accesses that conflict.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/multiprocess/launched.hpp"
#include "tests/multiprocess/on_hosts.hpp"

using namespace tutti::test;

namespace {

void check_silent_success(const Result& result)
{
    CHECK(result.status == 0);
    CHECK(result.out == "");
    CHECK(result.err == "");
}

}  // namespace

TEST_CASE("windows that all ranks change at once keep every change", "[windows]")
{
    const std::string ranks = GENERATE("1", "2", "3", "5", "8");
    const std::string seed = GENERATE("1", "2");
    CAPTURE(ranks, seed);
    check_silent_success(tuttirun({"-n", ranks, program("api_window_stress"), "400", seed}));
}

TEST_CASE("windows of several hosts, and of hosts with several ranks, which map each other's memory",
          "[windows][hosts]")
{
    const std::string fabric = GENERATE("tcp", "ofi:net", "ofi:tcp;ofi_rxm");
    const auto split = GENERATE(std::vector{1, 1}, std::vector{2, 1}, std::vector{2, 3, 1});
    CAPTURE(fabric, split);
    for (const std::vector<std::string>& run : {std::vector<std::string>{program("api_windows"), "hosts"},
                                                {program("api_window_stress"), "150", "3"}}) {
        std::vector<std::string> arguments{"--fabric", fabric};
        for (const std::string& word : on_hosts(split, run))
            arguments.push_back(word);
        check_silent_success(tuttirun(arguments));
    }
}

TEST_CASE("accesses of one rank that conflict are errors of a checked job", "[windows]")
{
    const std::string ranks = GENERATE("1", "2", "3");
    const std::string memory = GENERATE("mapped", "ordinary");
    const std::string check = GENERATE("--check", "--check=windows");
    CAPTURE(ranks, memory, check);
    check_silent_success(tuttirun({check, "-n", ranks, program("api_window_conflicts"), memory}));
}
