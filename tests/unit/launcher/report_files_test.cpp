// What reports say of ranks that are in the file system.
#include <string>

#include <catch2/catch.hpp>

#include "launcher/report/report_words.hpp"
#include "tests/unit/launcher/report_support.hpp"

using namespace tutti::launcher;
using tutti::observe::FileCall;
using tutti::observe::Operation;

namespace {

RankGroup is_in_file_system(int rank, FileCall call, std::uint64_t bytes)
{
    RankGroup group = receives(rank, 0, 0);
    group.operation = Operation::file_call;
    group.kind = static_cast<std::uint8_t>(call);
    group.communicator = "file out.h5";
    group.bytes = bytes;
    group.least_seconds = group.most_seconds = 12;
    return group;
}

}  // namespace

TEST_CASE("calls of the file system have their file and bytes")
{
    CHECK(call_in_words(is_in_file_system(1, FileCall::write, 1 << 22)) == "write of a file, 4 MiB, file out.h5");
    CHECK(call_in_words(is_in_file_system(1, FileCall::sync, 0)) == "sync of a file, file out.h5");
    CHECK(short_call(is_in_file_system(1, FileCall::read, 8)) == "read of a file, file out.h5");
    CHECK(call_in_words(is_in_file_system(1, static_cast<FileCall>(77), 0)) == "a call, file out.h5");
}

TEST_CASE("a rank that the file system keeps is named, and is no deadlock")
{
    NodeReport node = both_receive();
    node.edges.clear();
    node.groups[1] = is_in_file_system(1, FileCall::write, 1 << 22);
    const Analysis found = analysis_of(node);
    CHECK_FALSE(found.deadlock);
    CHECK(found.sentences.at(0) ==
          "rank 1 is in the file system for 12 s (write of a file, 4 MiB, file out.h5): no deadlock, if that "
          "answers (a disk or a server that is slow, frozen or not reached)");
}
