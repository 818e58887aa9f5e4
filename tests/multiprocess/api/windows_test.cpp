// Windows between processes: changed by all at once, over hosts, and by accesses that conflict.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/multiprocess/launched.hpp"
#include "tests/multiprocess/on_hosts.hpp"
#include "tests/temporary_folder.hpp"

using namespace tutti::test;

namespace {

void check_silent_success(const Result& result)
{
    CHECK(result.status == 0);
    CHECK(result.out == "");
    CHECK(result.err == "");
}

// Succeeds; libfabric's transport tells whether it has read and written memory of ranks of other nodes.
void check_run_over_libfabric(const Result& result, bool reads, bool writes)
{
    CAPTURE(result.out, result.err);
    CHECK(result.status == 0);
    CHECK(result.out == "");
    Words reported = lines_of(result.err);
    std::erase_if(reported, [](const std::string& line) { return !contains(line, "libfabric has read"); });
    CHECK(!reported.empty());
    const auto any = [&](const char* none) {
        return std::ranges::any_of(reported, [&](const std::string& line) { return !contains(line, none); });
    };
    CHECK(any("nodes 0 times") == reads);
    CHECK(any("written to it 0 times") == writes);
}

}  // namespace

TEST_CASE("windows that all ranks change at once keep every change", "[windows]")
{
    const auto [ranks, seed] = GENERATE(table<std::string, std::string>(
        {{"1", "1"}, {"2", "1"}, {"2", "2"}, {"3", "2"}, {"5", "1"}, {"8", "2"}}));
    CAPTURE(ranks, seed);
    check_silent_success(tuttirun({"-n", ranks, program("api_window_stress"), "250", seed}));
}

TEST_CASE("operations that are under way together keep their order and give their values", "[windows]")
{
    const auto [ranks, seed] =
        GENERATE(table<std::string, std::string>({{"1", "1"}, {"2", "2"}, {"3", "1"}, {"5", "2"}}));
    CAPTURE(ranks, seed);
    check_silent_success(tuttirun({"-n", ranks, program("api_window_overlap"), seed, "threads"}));
    check_silent_success(
        tuttirun({"-n", ranks, "-x", "TUTTI_PROGRESS=thread", program("api_window_overlap"), seed}));
}

TEST_CASE("tables: rows in any order, longer than a frame, by rules; keys", "[windows]")
{
    const std::string ranks = GENERATE("1", "2", "3", "8");
    CAPTURE(ranks);
    check_silent_success(tuttirun({"-n", ranks, program("api_tables")}));
}

TEST_CASE("windows of several hosts, and of hosts with several ranks, which map each other's memory",
          "[windows][hosts]")
{
    // Each way once with a host's ranks that map each other's memory, and once more otherwise.
    const auto [fabric, split] =
        GENERATE(table<std::string, std::vector<int>>({{"tcp", {2, 1}},
                                                       {"tcp", {2, 3, 1}},
                                                       {"ofi:net", {1, 1}},
                                                       {"ofi:net", {2, 3, 1}},
                                                       {"ofi:tcp;ofi_rxm", {2, 1}}}));
    if (kSanitized && split.size() != (fabric == "ofi:net" ? 3u : 2u))
        return;
    if (kSanitized && split == std::vector{1, 1})
        return;
    CAPTURE(fabric, split);
    const std::string rounds = split.size() == 2 ? "20" : "8";  // six ranks take turns for each answer
    std::vector<Words> programs = {{program("api_windows"), "hosts"},
                                   {program("api_window_stress"), rounds, "3"},
                                   {program("api_window_overlap"), "5", "threads"},
                                   {program("api_tables")}};
    if (split.size() == 2)
        programs.push_back({program("api_window_sizes")});
    for (const Words& run : programs) {
        Words arguments{"--fabric", fabric};
        for (const std::string& word : on_hosts(split, run))
            arguments.push_back(word);
        if (fabric == "tcp") {
            check_silent_success(tuttirun(arguments));
        } else {
            arguments.insert(arguments.begin(), "-v");
            const bool puts_and_gets = run.front() != program("api_tables");
            check_run_over_libfabric(tuttirun(arguments), puts_and_gets, puts_and_gets);
        }
    }
}

TEST_CASE("over libfabric without remote reads and writes windows go by frames", "[windows][hosts]")
{
    for (const Words& run : {Words{program("api_windows"), "hosts"},
                             {program("api_window_sizes")},
                             {program("api_window_overlap"), "7"}}) {
        Words arguments{"-v", "--fabric", "ofi:net", "-x", "TUTTI_FABRIC_RMA=off"};
        for (const std::string& word : on_hosts({2, 1}, run))
            arguments.push_back(word);
        check_run_over_libfabric(tuttirun(arguments), false, false);
    }
}

TEST_CASE("windows go by frames where libfabric's provider refuses to write, whatever it says",
          "[windows][hosts]")
{
    const char* const library = std::getenv("TUTTI_TEST_REFUSING_LIBFABRIC");
    REQUIRE(library != nullptr);
    const TemporaryFolder folder;
    std::filesystem::create_symlink(library, folder.path() / "libfabric.so.1");
    for (const Words& run : {Words{program("api_windows"), "hosts"}, {program("api_window_sizes")}}) {
        Words arguments{"-v", "--fabric", "ofi:net", "-x", "LD_LIBRARY_PATH=" + folder.path().string()};
        for (const std::string& word : on_hosts({2, 1}, run))
            arguments.push_back(word);
        check_run_over_libfabric(tuttirun(arguments), true, false);
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
