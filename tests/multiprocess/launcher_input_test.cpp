// Standard input goes to the ranks that shall have it.
#include <catch2/catch.hpp>

#include "tests/multiprocess/launched.hpp"

using namespace tutti::test;

TEST_CASE("standard input goes to rank 0")
{
    const Result result = tuttirun({"--tag-output", "-n", "3", "cat"}, "one\ntwo\n");
    CHECK(result.status == 0);
    CHECK(result.out == "[0]<stdout>: one\n[0]<stdout>: two\n");
}

TEST_CASE("or to another rank, to all, or to none")
{
    CHECK(tuttirun({"--stdin", "2", "-l", "-n", "3", "cat"}, "x\n").out == "2: x\n");
    CHECK(sorted(lines_of(tuttirun({"--stdin", "all", "-l", "-n", "3", "cat"}, "x\n").out)) ==
          std::vector<std::string>{"0: x", "1: x", "2: x"});
    CHECK(tuttirun({"--stdin", "none", "-n", "3", "cat"}, "x\n").out == "");
}

TEST_CASE("much input is passed on whole, at the speed of the slowest reader")
{
    std::string text;
    for (int line = 0; line < 300'000; ++line) {
        text += std::to_string(line) + "\n";
    }
    Launched job(tuttirun_command(
        {"--stdin", "all", "-n", "3", "sh", "-c", "[ $PMIX_RANK = 1 ] && sleep 0.3; cksum"}));
    job.write(text);
    const Result result = job.wait();
    const std::vector<std::string> sums = lines_of(result.out);
    REQUIRE(sums.size() == 3);
    CHECK(sums[0] == sums[1]);
    CHECK(sums[1] == sums[2]);
    CHECK(contains(sums[0], std::to_string(text.size())));
}

TEST_CASE("a rank that does not read its input does not hold up the end")
{
    const std::string much(std::size_t{4} << 20, 'x');
    const Result unread = tuttirun({"-n", "2", "true"}, much);
    CHECK(unread.status == 0);
    const Result half_read = tuttirun({"-n", "2", "head", "-c", "10"}, much);
    CHECK(half_read.status == 0);
    CHECK(half_read.out == "xxxxxxxxxx");
}

TEST_CASE("files and closed descriptors as standard input")
{
    Launched job(
        {"sh", "-c",
         "printf 'in a file\\n' > \"$TMPDIR/f\"; \"$TUTTIRUN\" -n 2 cat < \"$TMPDIR/f\"; rm \"$TMPDIR/f\"; "
         "\"$TUTTIRUN\" -n 2 cat < /dev/null; \"$TUTTIRUN\" -n 2 cat <&-; "
         "head -c 3000000 /dev/zero > \"$TMPDIR/z\"; \"$TUTTIRUN\" -n 2 cksum < \"$TMPDIR/z\"; cksum < "
         "\"$TMPDIR/z\"; rm \"$TMPDIR/z\""});
    const std::vector<std::string> lines = lines_of(job.wait().out);
    REQUIRE(lines.size() == 4);
    CHECK(lines[0] == "in a file");
    // Rank 1 has no input: the sum of nothing. Rank 0's is the file's own.
    CHECK((lines[1] == lines[3] || lines[2] == lines[3]));
    CHECK((lines[1] == "4294967295 0" || lines[2] == "4294967295 0"));
}
