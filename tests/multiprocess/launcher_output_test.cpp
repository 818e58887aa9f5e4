// What ranks write arrives whole: every byte, no line inside another.
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/multiprocess/launched.hpp"

using namespace tutti::test;

namespace {

/// Checks each line of write_lines, and that all lines of each rank came, in order. Returns their number.
int check_lines(const std::string& text, int ranks, int lines_per_rank)
{
    std::map<int, int> next;
    std::size_t begin = 0;
    int wrong = 0;
    while (begin < text.size()) {
        const std::size_t end = text.find('\n', begin);
        int rank = -1;
        int number = -1;
        int length = -1;
        int header = 0;
        const std::string line = text.substr(begin, end - begin);
        const int fields = std::sscanf(line.c_str(), "%d %d %d %n", &rank, &number, &length, &header);
        const std::string body = fields == 3 ? line.substr(static_cast<std::size_t>(header)) : "";
        const bool right =
            fields == 3 && next[rank]++ == number &&
            body == std::string(static_cast<std::size_t>(length), static_cast<char>('a' + number % 26));
        wrong += right ? 0 : 1;
        begin = end == std::string::npos ? text.size() : end + 1;
    }
    CHECK(wrong == 0);
    CHECK(static_cast<int>(next.size()) == ranks);
    int total = 0;
    for (const auto& [rank, count] : next) {
        CHECK(count == lines_per_rank);
        total += count;
    }
    return total;
}

std::map<char, std::size_t> count_bytes(const std::string& text)
{
    std::array<std::size_t, 256> counts{};
    for (const char byte : text) {
        ++counts[static_cast<unsigned char>(byte)];
    }
    std::map<char, std::size_t> present;
    for (std::size_t byte = 0; byte < counts.size(); ++byte) {
        if (counts[byte] > 0) {
            present[static_cast<char>(byte)] = counts[byte];
        }
    }
    return present;
}

}  // namespace

TEST_CASE("20 MB from several ranks, in pieces of odd sizes, stay whole lines")
{
    for (const int ranks : {1, 3, 7}) {
        const int lines = 28'000 / ranks;
        const Result result =
            tuttirun({"-n", std::to_string(ranks), program("write_lines"), std::to_string(lines), "1500"});
        CHECK(result.status == 0);
        CHECK(check_lines(result.out, ranks, lines) == lines * ranks);
    }
}

TEST_CASE("lines longer than a pipe stay whole")
{
    const Result result = tuttirun({"-n", "4", program("write_lines"), "20", "300000"});
    CHECK(result.status == 0);
    check_lines(result.out, 4, 20);
}

TEST_CASE("output without line ends is every byte of every rank, and no other")
{
    const Result zeros = tuttirun({"-n", "2", "head", "-c", "20000000", "/dev/zero"});
    CHECK(zeros.status == 0);
    CHECK(zeros.out.size() == 40'000'000);
    CHECK(zeros.out.find_first_not_of('\0') == std::string::npos);
    CHECK(zeros.seconds < 10.0);  // nobody waits for lines to end
    for (int repetition = 0; repetition < 3; ++repetition) {
        const Result digits = tuttirun(script(4, "head -c 3000000 /dev/zero | tr '\\0' $PMIX_RANK"));
        CHECK(digits.status == 0);
        CHECK(count_bytes(digits.out) ==
              std::map<char, std::size_t>{
                  {'0', 3'000'000}, {'1', 3'000'000}, {'2', 3'000'000}, {'3', 3'000'000}});
    }
}

TEST_CASE("a rank's line that is too long comes out in its order among others, and ends as it did")
{
    // Numbers of seven digits: 1.6 MB, of which the last line only has an end.
    const Result result =
        tuttirun(script(3, "seq 1000000 1199999 | tr '\\n' $PMIX_RANK; echo; seq 1000000 1000999"));
    CHECK(result.status == 0);
    CHECK(result.out.size() == 3 * (200'000 * 8 + 1 + 1000 * 8));
    CHECK(count_bytes(result.out)['\n'] == 3 * 1001);
}

TEST_CASE("100 MB from 4 ranks", "[.slow]")
{
    const Result result = tuttirun({"-n", "4", program("write_lines"), "34000", "1500"});
    CHECK(result.status == 0);
    check_lines(result.out, 4, 34'000);
}

TEST_CASE("a slow reader holds the ranks up, and loses nothing")
{
    Launched job(tuttirun_command({"-n", "2", program("write_lines"), "7000", "1500"}));
    for (int i = 0; i < 300 && job.processes().size() < 6; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // nobody reads
    // 10 MB do not fit into the pipes and windows, so the ranks must be there still.
    CHECK(job.processes().size() == 6);
    const Result result = job.wait();
    CHECK(result.status == 0);
    check_lines(result.out, 2, 7000);
}

TEST_CASE("what a failing job wrote is not lost")
{
    const Result result = tuttirun(script(4, "seq 20000; [ $PMIX_RANK = 3 ] && exit 6; sleep 1000"));
    CHECK(result.status == 6);
    CHECK(lines_of(result.out).size() >= 20'000);
}

TEST_CASE("stdout and stderr stay apart, unless they are to be merged")
{
    const Result apart = tuttirun(script(3, "echo out; echo err >&2"));
    CHECK(apart.out == "out\nout\nout\n");
    CHECK(apart.err == "err\nerr\nerr\n");
    const Result merged = tuttirun({"--merge-stderr-to-stdout", "-n", "1", "sh", "-c",
                                    "for i in 1 2 3; do echo out $i; echo err $i >&2; done"});
    CHECK(merged.out == "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
    CHECK(merged.err == "");
}

TEST_CASE("a last line without an end is passed on as it is, unless lines have prefixes")
{
    CHECK(tuttirun(script(1, "printf abc")).out == "abc");
    CHECK(tuttirun(script(1, "printf 'x\\ny'")).out == "x\ny");
    std::string ranks = tuttirun(script(3, "printf $PMIX_RANK")).out;
    std::ranges::sort(ranks);
    CHECK(ranks == "012");
    CHECK(sorted(lines_of(tuttirun({"-l", "-n", "3", "sh", "-c", "printf $PMIX_RANK"}).out)) ==
          std::vector<std::string>{"0: 0", "1: 1", "2: 2"});
    CHECK(tuttirun(script(1, "printf 'a\\000b\\n'")).out == std::string("a\0b\n", 4));
}

TEST_CASE("tags, labels and times stand in front of each line")
{
    const Result tags = tuttirun({"--tag-output", "-n", "2", "sh", "-c", "echo a; printf b; echo c >&2"});
    CHECK(sorted(lines_of(tags.out)) ==
          std::vector<std::string>{"[0]<stdout>: a", "[0]<stdout>: b", "[1]<stdout>: a", "[1]<stdout>: b"});
    CHECK(sorted(lines_of(tags.err)) == std::vector<std::string>{"[0]<stderr>: c", "[1]<stderr>: c"});

    const Result labels = tuttirun({"-l", "-n", "2", "echo", "x"});
    CHECK(sorted(lines_of(labels.out)) == std::vector<std::string>{"0: x", "1: x"});

    const Result times = tuttirun({"--timestamp-output", "-n", "1", "echo", "x"});
    CHECK_THAT(times.out, Catch::Matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{6} x\n"));
}

TEST_CASE("--output-filename keeps each rank's output in files of its own")
{
    std::string directory = (std::filesystem::temp_directory_path() / "tutti-output-XXXXXX").string();
    REQUIRE(::mkdtemp(directory.data()) != nullptr);
    for (int repetition = 0; repetition < 2; ++repetition) {  // the second replaces the first
        const Result result =
            tuttirun({"--output-filename", directory + "/deep", "--tag-output", "-n", "2", "sh", "-c",
                      "echo out $PMIX_RANK; [ $PMIX_RANK = 0 ] || printf err >&2"});
        CHECK(result.status == 0);
        CHECK(contains(result.out, "[1]<stdout>: out 1\n"));
        CHECK(file_text(directory + "/deep/rank.0/stdout") == "out 0\n");
        CHECK(file_text(directory + "/deep/rank.1/stdout") == "out 1\n");
        CHECK(file_text(directory + "/deep/rank.0/stderr") == "");
        CHECK(file_text(directory + "/deep/rank.1/stderr") == "err");
    }
    const Result impossible = tuttirun({"--output-filename", "/dev/null/x", "-n", "2", "echo"});
    CHECK(impossible.status != 0);
    CHECK(contains(impossible.err, "/dev/null/x"));
    std::filesystem::remove_all(directory);
}

TEST_CASE("lines and prompts appear at once")
{
    Launched job(tuttirun_command(script(2,
                                         "if [ $PMIX_RANK = 1 ]; then exit 0; fi; echo first; printf 'name? "
                                         "'; read name; echo hello $name")));
    REQUIRE(job.wait_for_output("first\n"));
    REQUIRE(job.wait_for_output("name? "));
    job.write("you\n");
    const Result result = job.wait();
    CHECK(result.status == 0);
    CHECK(result.out == "first\nname? hello you\n");
}

TEST_CASE("a full disk is named", "[full]")
{
    Launched job({"sh", "-c", "\"$TUTTIRUN\" -n 2 yes > /dev/full; echo $?"});
    const Result result = job.wait();
    CHECK(result.out == "1\n");
    CHECK(contains(result.err, "cannot write to standard output: No space left on device"));
}
