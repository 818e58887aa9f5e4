// Lines of many streams in one output.
#include <catch2/catch.hpp>
#include <utility>

#include "launcher/streams/line_merger.hpp"

using namespace tutti::launcher;

namespace {

constexpr StreamId kFirst{0, Channel::standard_output};
constexpr StreamId kSecond{1, Channel::standard_output};
constexpr StreamId kSecondError{1, Channel::standard_error};

}  // namespace

TEST_CASE("unfinished lines wait for their end")
{
    LineMerger merger({});
    merger.add(kFirst, "one ");
    merger.add(kSecond, "two");
    CHECK(merger.output() == "");
    merger.add(kFirst, "line\nand mo");
    CHECK(merger.output() == "one line\n");
    merger.add(kSecond, "\n\n");
    CHECK(merger.output() == "one line\ntwo\n\n");
    merger.add(kFirst, "re\n");
    CHECK(merger.output() == "one line\ntwo\n\nand more\n");
}

TEST_CASE("the last line of a stream needs no end")
{
    const auto merged = [](LineMerger merger) {
        merger.add(kFirst, "last");
        merger.end(kFirst);
        merger.end(kSecondError);
        merger.add(kSecond, "x\n");
        return merger.output();
    };
    CHECK(merged(LineMerger({})) == "lastx\n");
    OutputOptions options;
    options.label = true;
    CHECK(merged(LineMerger(options)) == "0: last\n1: x\n");
    CHECK(merged(LineMerger({}, true)) == "last\nx\n");
}

TEST_CASE("what streams without an end have left is passed on in the end")
{
    LineMerger merger({});
    merger.add(kFirst, "a\nb");
    merger.add(kSecond, "c");
    merger.finish();
    CHECK(merger.output().size() == 4);
    CHECK(merger.output().starts_with("a\n"));
}

TEST_CASE("a prompt is one stream's alone")
{
    LineMerger merger({});
    CHECK_FALSE(merger.has_prompt());
    merger.add(kFirst, "a");
    CHECK(merger.has_prompt());
    merger.add(kSecond, "b");
    CHECK_FALSE(merger.has_prompt());
    merger.flush_prompt();
    CHECK(merger.output() == "");
    merger.add(kSecond, "\n");
    merger.flush_prompt();
    CHECK(merger.output() == "b\na");
    CHECK(merger.admits(kFirst));
    CHECK_FALSE(merger.admits(kSecond));
    merger.add(kFirst, "c");
    merger.add(kFirst, "d\n");
    CHECK(merger.output() == "b\nacd\n");
    CHECK(merger.admits(kSecond));
}

TEST_CASE("an open line can be broken, and its stream goes on in a new one")
{
    OutputOptions options;
    options.tag = true;
    LineMerger merger(options);
    merger.add(kFirst, "a");
    merger.flush_prompt();
    merger.break_line();
    merger.add(kSecondError, "b\n");
    merger.add(kFirst, "c\n");
    CHECK(merger.output() == "[0]<stdout>: a\n[1]<stderr>: b\n[0]<stdout>: c\n");
}

TEST_CASE("nothing is added to a broken line where lines have no prefixes")
{
    LineMerger merger({});
    merger.add(kFirst, "a");
    merger.flush_prompt();
    merger.break_line();
    CHECK(merger.admits(kSecond));
    merger.add(kSecond, "b\n");
    merger.add(kFirst, "c");
    CHECK(merger.output() == "ab\n");
    merger.add(kFirst, "d\n");
    CHECK(merger.output() == "ab\ncd\n");
}

TEST_CASE("a prompt's line gets one prefix")
{
    OutputOptions options;
    options.label = true;
    LineMerger merger(options);
    merger.add(kSecond, "a");
    merger.flush_prompt();
    merger.add(kSecond, "b\nc\n\n");
    CHECK(merger.output() == "1: ab\n1: c\n1: \n");
}

TEST_CASE("messages of the launcher's own stand in a line of their own")
{
    LineMerger merger({});
    merger.add(kFirst, "prompt");
    merger.flush_prompt();
    merger.add_message("message\n");
    merger.add(kFirst, "x\n");
    CHECK(merger.output() == "prompt\nmessage\nx\n");
}

TEST_CASE("a line without an end does not grow for ever, and nobody waits for it")
{
    LineMerger merger({});
    const std::string piece(LineMerger::kMaxHeldBytes / 2 + 1, 'x');
    merger.add(kFirst, piece);
    CHECK(merger.output() == "");
    merger.add(kFirst, piece);
    CHECK(merger.output().size() == 2 * piece.size());
    merger.add(kFirst, "y");
    CHECK(merger.output().size() == 2 * piece.size() + 1);
    CHECK_FALSE(merger.has_prompt());
    REQUIRE(merger.admits(kSecond));
    merger.output().clear();
    merger.add(kSecond, "a line\n");
    merger.add(kFirst, "z");
    CHECK(merger.output() == "a line\nz");
    merger.add(kFirst, "\nnext\n");
    CHECK(merger.output() == "a line\nz\nnext\n");
}

TEST_CASE("pieces of a line that is too long have a prefix each")
{
    OutputOptions options;
    options.label = true;
    LineMerger merger(options);
    const std::string piece(LineMerger::kMaxHeldBytes + 1, 'x');
    merger.add(kFirst, piece);
    merger.add(kSecond, "a line\n");
    merger.add(kFirst, "y");
    merger.add(kFirst, piece);
    merger.add(kFirst, "z\n");
    const bool as_it_should_be = merger.output() == "0: " + piece + "\n1: a line\n0: y" + piece + "z\n";
    CHECK(as_it_should_be);
}

TEST_CASE("on a terminal a line that is meant to be written over stays below all others")
{
    OutputOptions options;
    options.tag = true;
    LineMerger merger(options, true);
    const auto shown = [&merger] {
        merger.show_status();
        return std::exchange(merger.output(), {});
    };
    merger.add(kSecondError, "\r[1/3] first\033[K");
    CHECK_FALSE(merger.has_prompt());
    CHECK(shown() == "\r\033[K\033[?7l[1/3] first\033[?7h");
    CHECK(shown() == "");
    merger.add(kFirst, "a line\n");
    CHECK(shown() == "\r\033[K[0]<stdout>: a line\n\r\033[K\033[?7l[1/3] first\033[?7h");
    merger.add(kSecondError, "\r\033[K\r[2/3] sec");
    merger.add(kSecondError, "ond");
    CHECK(shown() == "\r\033[K\033[?7l[2/3] second\033[?7h");
    merger.add_message("message\n");
    merger.add(kSecondError, "\r\033[K");
    CHECK(shown() == "\r\033[Kmessage\n");
    merger.add(kSecondError, "\r[3/3] third");
    CHECK(shown() == "\r\033[K\033[?7l[3/3] third\033[?7h");
    merger.end(kSecondError);
    CHECK(shown() == "\r\033[K");
}

TEST_CASE("a status line that gets an end becomes an ordinary one")
{
    OutputOptions options;
    options.label = true;
    LineMerger merger(options, true);
    merger.add(kFirst, "\r50 %");
    merger.add(kSecond, "\r40 %");
    merger.show_status();
    merger.output().clear();
    merger.add(kFirst, "\r100 %\n");
    CHECK(merger.output() == "\r\033[K0: 100 %\n");
    merger.output().clear();
    merger.add(kFirst, "\r50 %");
    merger.add(kFirst, " done\nnext\n");
    CHECK(merger.output() == "0: 50 % done\n0: next\n");
    merger.output().clear();
    merger.add(kFirst, "\r\033[K");
    merger.add(kFirst, "a remark\r\n");
    merger.add(kFirst, "\r1\r2\033[K\r\033[Kanother\r\n\r\n");
    CHECK(merger.output() == "0: a remark\r\n0: another\r\n0: \r\n");
    merger.output().clear();
    merger.finish();
    CHECK(merger.output() == "");
}

TEST_CASE("a status line waits for a prompt to be answered")
{
    LineMerger merger({}, true);
    merger.add(kFirst, "name? ");
    merger.flush_prompt();
    CHECK_FALSE(merger.admits(kSecond));
    merger.show_status();
    CHECK(merger.output() == "name? ");
    merger.add(kFirst, "\n");
    merger.add(kSecond, "\rbusy");
    merger.show_status();
    CHECK(merger.output() == "name? \n\r\033[K\033[?7lbusy\033[?7h");
}

TEST_CASE("in a file a carriage return is a byte like any other")
{
    LineMerger merger({});
    merger.add(kFirst, "\r50 %");
    CHECK(merger.has_prompt());
    merger.show_status();
    CHECK(merger.output() == "");
    merger.add(kFirst, "\r100 %\n");
    CHECK(merger.output() == "\r50 %\r100 %\n");
}
