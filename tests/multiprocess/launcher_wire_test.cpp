// Frames between head and daemon: what comes out is what went in, and hostile bytes are refused.
#include <random>

#include <catch2/catch.hpp>

#include "launcher/job/job_messages.hpp"

using namespace tutti::launcher;

namespace {

LaunchOrder make_order()
{
    LaunchOrder order;
    order.job_name = "job";
    order.nodes = {{"here"}, {"there", true}};
    order.apps.push_back({{"program", "", "two words"}, 2, {{"NAME", "value"}, {"EMPTY", ""}}, "/tmp"});
    order.apps.push_back({{"other"}, 1, {}, ""});
    order.ranks.push_back({0, 0, 0, 0, {0, 1}});
    order.ranks.push_back({1, 0, 1, 0, {}});
    order.ranks.push_back({2, 1, 0, 1, {5}});
    order.stdin_target = StdinTarget::rank;
    order.stdin_rank = 2;
    order.merge_stderr = true;
    order.rank_variables = true;
    order.environment = {"PATH=/bin", "EMPTY="};
    order.working_directory = "/work";
    return order;
}

}  // namespace

TEST_CASE("a launch order survives the wire")
{
    const LaunchOrder order = decode<LaunchOrder>(encode(make_order()));
    CHECK(order.job_name == "job");
    REQUIRE(order.nodes.size() == 2);
    CHECK(order.nodes[1].name == "there");
    CHECK(order.nodes[1].shares_cores);
    CHECK_FALSE(order.nodes[0].shares_cores);
    REQUIRE(order.apps.size() == 2);
    CHECK(order.apps[0].argv == std::vector<std::string>{"program", "", "two words"});
    CHECK(order.apps[0].environment == make_order().apps[0].environment);
    CHECK(order.apps[0].working_directory == "/tmp");
    REQUIRE(order.ranks.size() == 3);
    CHECK(order.ranks[0].cpus == std::vector<int>{0, 1});
    CHECK(order.ranks[2].app == 1);
    CHECK(order.ranks[1].node == 1);
    CHECK(order.ranks[2].node == 0);
    CHECK(order.ranks[2].local_rank == 1);
    CHECK(order.ranks[2].cpus == std::vector<int>{5});
    CHECK(order.stdin_target == StdinTarget::rank);
    CHECK(order.stdin_rank == 2);
    CHECK(order.merge_stderr);
    CHECK(order.rank_variables);
    CHECK(order.environment == std::vector<std::string>{"PATH=/bin", "EMPTY="});
    CHECK(order.working_directory == "/work");
}

TEST_CASE("an exit report survives the wire")
{
    const ExitReport report = decode<ExitReport>(encode(ExitReport{3, 4711, 9, true, false, "MPI_Finalize"}));
    CHECK(report.rank == 3);
    CHECK(report.pid == 4711);
    CHECK(report.wait_status == 9);
    CHECK(report.joined);
    CHECK_FALSE(report.left);
    CHECK(report.leaving_call == "MPI_Finalize");
}

TEST_CASE("payloads that are cut short or too long are refused")
{
    const std::string whole = encode(make_order());
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
        CHECK_THROWS_AS(decode<LaunchOrder>(whole.substr(0, bytes)), WireError);
    }
    CHECK_THROWS_AS(decode<LaunchOrder>(whole + "x"), WireError);
    CHECK_THROWS_AS(decode<ExitReport>(encode(ExitReport{}) + "x"), WireError);
}

TEST_CASE("random bytes never do worse than be refused")
{
    std::minstd_rand random(1);
    const std::string whole = encode(make_order());
    for (int repetition = 0; repetition < 20'000; ++repetition) {
        std::string bytes = whole;
        for (int change = 0; change < 3; ++change) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        try {
            const LaunchOrder order = decode<LaunchOrder>(bytes);
            for (const RankPlacement& placement : order.ranks) {
                REQUIRE(static_cast<std::size_t>(placement.app) < order.apps.size());
                REQUIRE(static_cast<std::size_t>(placement.node) < order.nodes.size());
            }
        } catch (const WireError&) {
        }
    }
}

TEST_CASE("frames are found however the stream is cut")
{
    std::string stream;
    append_frame(stream, {FrameType::output, 3, "first"});
    append_frame(stream, {FrameType::bye, kAllNodes, ""});
    append_frame(stream, {FrameType::output, 3, std::string(1000, 'x')});
    for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, std::size_t{7}, stream.size()}) {
        FrameParser parser;
        std::vector<std::tuple<FrameType, int, std::string>> frames;
        for (std::size_t begin = 0; begin < stream.size(); begin += piece) {
            parser.append(std::string_view(stream).substr(begin, piece));
            Frame frame{};
            while (parser.next(frame)) {
                frames.emplace_back(frame.type, frame.node, frame.payload);
            }
        }
        REQUIRE(frames.size() == 3);
        CHECK(frames[0] == std::tuple(FrameType::output, 3, std::string("first")));
        CHECK(frames[1] == std::tuple(FrameType::bye, int{kAllNodes}, std::string()));
        CHECK(std::get<2>(frames[2]).size() == 1000);
    }
}

TEST_CASE("frames of unknown type or absurd length are refused")
{
    Frame frame{};
    FrameParser unknown;
    unknown.append(std::string("\0\0\0\0\xff\xff\0\0", 8));
    CHECK_THROWS_AS(unknown.next(frame), WireError);
    FrameParser huge;
    huge.append(std::string("\xff\xff\xff\xff\x06\0\0\0", 8));
    CHECK_THROWS_AS(huge.next(frame), WireError);
}
