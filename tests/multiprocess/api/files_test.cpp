// Files that processes write and read, on one host and as if on several.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/multiprocess/api/ranks.hpp"
#include "tests/multiprocess/on_hosts.hpp"
#include "tests/temporary_folder.hpp"

using namespace tutti::test;

namespace {

// Succeeds without a word, and leaves no file.
void check_files_run(const Words& arguments, const TemporaryFolder& folder)
{
    const Result result = tuttirun(arguments);
    CHECK(result.status == 0);
    CHECK(result.out == "");
    CHECK(result.err == "");
    CHECK(std::filesystem::is_empty(folder.path()));
}

// Which rank dies, when, and how ranks are on hosts.
struct Death {
    std::string rank;
    std::string milliseconds;
    std::vector<int> split;
};

// Where one of the ranks dies meanwhile: a shell stays in its place for a while, as the launcher ends the
// others otherwise. Returns what they tell.
Words check_others_are_told(const std::filesystem::path& folder, const std::string& where,
                            const std::string& dead, const std::string& milliseconds,
                            const std::vector<int>& split)
{
    const Words rest{"sh",  "-c",  R"("$0" "$@" 2> /dev/null || exec sleep 10)", program("api_files_killed"),
                     folder, where, dead, milliseconds};
    Words arguments{"-q", "-n", "4"};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    const Result result = tuttirun(split.size() == 1 ? arguments : on_hosts(split, rest));
    CAPTURE(result.out, result.err);
    CHECK(result.status == 3);
    CHECK(result.seconds < 2 * kSoonSeconds);
    const Words reported = lines_of(result.out);
    CHECK(reported.size() == 3);
    for (const std::string& line : reported)
        CHECK(contains(line, ": peer lost: "));
    return reported;
}

}  // namespace

TEST_CASE("files: random views, pieces, memory and forms leave what a plain file would", "[files]")
{
    const TemporaryFolder folder;
    // 5 ranks, 2 beside 3, and 1 beside 4.
    check_files_run(ranks(5, "files", {folder.path(), "20000", "1", kSanitized ? "1" : "4", "5", "2", "1"}),
                    folder);
}

TEST_CASE("files: the same of ranks on several hosts, which see one file", "[files]")
{
    using Where = std::pair<std::string, std::vector<int>>;
    const auto [fabric, split] = GENERATE(Where{"tcp", {1, 3, 1}}, Where{"ofi:net", {2, 2}});
    if (kSanitized && fabric == "ofi:net")
        return;
    CAPTURE(fabric, split);
    const TemporaryFolder folder;
    Words arguments{"--fabric", fabric};
    // Rounds of 64 bytes each take milliseconds between hosts.
    for (const std::string& word :
         on_hosts(split, {program("api_files"), folder.path(), "5000", "100", "1", "9"}))
        arguments.push_back(word);
    check_files_run(arguments, folder);
}

TEST_CASE("files: a rank that dies while all write takes nothing with it that was synced", "[files]")
{
    const auto [dead, milliseconds, split] = GENERATE(Death{"3", "1", {4}}, Death{"0", "20", {2, 2}});
    if (kSanitized && split.size() == 2)
        return;
    CAPTURE(dead, milliseconds, split);
    const TemporaryFolder folder;
    check_others_are_told(folder.path(), "write_all", dead, milliseconds, split);
    const std::string text = file_text(folder.path() / "file");
    REQUIRE(text.size() >= 800'000);
    CHECK(text.substr(0, 800'000) == std::string(800'000, 's'));
    CHECK(text.find_first_not_of('n', 800'000) == std::string::npos);
}

TEST_CASE("files: a rank that dies while all open a file: the others' error has the file's name", "[files]")
{
    const auto split = GENERATE(std::vector{4}, std::vector{2, 2});
    if (kSanitized && split.size() == 2)
        return;
    CAPTURE(split);
    const TemporaryFolder folder;
    for (const std::string& line : check_others_are_told(folder.path(), "open", "3", "20", split))
        CHECK(contains(line, (folder.path() / "file").string() + ": "));
}

TEST_CASE("files: a rank that dies while all replace a file leaves the old one or the new one", "[files]")
{
    const auto [dead, milliseconds, split] =
        GENERATE(Death{"0", "10", {4}}, Death{"0", "40", {2, 2}}, Death{"1", "2", {2, 2}});
    if (kSanitized && split.size() == 2)
        return;
    CAPTURE(dead, milliseconds, split);
    const TemporaryFolder folder;
    check_others_are_told(folder.path(), "replace", dead, milliseconds, split);
    const std::string text = file_text(folder.path() / "file");
    REQUIRE(text.size() == 800'000);
    CHECK(text == std::string(800'000, text[0]));
}
