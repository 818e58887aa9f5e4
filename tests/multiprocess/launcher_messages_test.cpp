// What head and daemons tell each other about themselves and about PMIx, and the record that starts a daemon.
#include <random>

#include <catch2/catch.hpp>

#include "launcher/job/daemon_record.hpp"
#include "launcher/job/job_messages.hpp"

using namespace tutti::launcher;
using tutti::security::Identity;
using tutti::security::Key;

namespace {

/// Each shorter piece of a whole payload is refused, and so is what random changes make of it, or it is
/// taken.
template <typename Decode>
void check_hostile(const std::string& whole, Decode decode)
{
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
        CHECK_THROWS_AS(decode(std::string_view(whole).substr(0, bytes)), WireError);
    }
    std::minstd_rand random(1);
    for (int repetition = 0; repetition < 2'000; ++repetition) {
        std::string bytes = whole;
        for (int change = 0; change < 3; ++change) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        try {
            decode(bytes);
        } catch (const WireError&) {
        }
    }
}

}  // namespace

TEST_CASE("a daemon's hello survives the wire, and tells of another version before all else")
{
    Hello hello = Hello::of_this_process();
    hello.topology = std::string("a\0b", 3);
    const Hello copy = decode_hello(encode(hello));
    CHECK(copy.version == hello.version);
    CHECK(copy.architecture == hello.architecture);
    CHECK(copy.host_name == hello.host_name);
    CHECK(copy.pid == hello.pid);
    CHECK(copy.topology == hello.topology);
    CHECK(judge_hello(copy) == "");
    check_hostile(encode(hello), [](std::string_view bytes) { return decode_hello(bytes); });

    hello.architecture = "vax";
    CHECK(judge_hello(hello).find("another kind (vax, this is ") != std::string::npos);
    hello.version = "99.1";
    const std::string obstacle = judge_hello(decode_hello(encode(hello).substr(0, 8)));
    CHECK(obstacle.find("has Tutti 99.1, this is ") != std::string::npos);
    CHECK(obstacle.find("install the same version") != std::string::npos);
}

TEST_CASE("an order to start daemons survives the wire")
{
    StartOrder order;
    order.method.agent = {"ssh", "-4"};
    order.method.program = "/opt/bin/tuttirun";
    order.method.timeout_seconds = 2.5;
    order.interface = "eth0";
    order.hosts = {{1, "b", ""}, {3, "d", "user"}};
    order.index = 1;
    order.daemon_timeout_seconds = 7.5;
    const StartOrder copy = decode<StartOrder>(encode(order));
    CHECK(copy.method.agent == order.method.agent);
    CHECK(copy.method.program == order.method.program);
    CHECK(copy.method.timeout_seconds == 2.5);
    CHECK(copy.interface == "eth0");
    REQUIRE(copy.hosts.size() == 2);
    CHECK(copy.hosts[1].node == 3);
    CHECK(copy.hosts[1].name == "d");
    CHECK(copy.hosts[1].user == "user");
    CHECK(copy.index == 1);
    CHECK(copy.daemon_timeout_seconds == 7.5);
    check_hostile(encode(order), [](std::string_view bytes) { return decode<StartOrder>(bytes); });
    order.index = 2;
    CHECK_THROWS_AS(decode<StartOrder>(encode(order)), WireError);
}

TEST_CASE("reports of missing daemons survive the wire")
{
    const MissingDaemons copy = decode<MissingDaemons>(encode(MissingDaemons{{2, 5}, "it rains"}));
    CHECK(copy.nodes == std::vector<int>{2, 5});
    CHECK(copy.reason == "it rains");
    check_hostile(encode(MissingDaemons{{2, 5}, "it rains"}),
                  [](std::string_view bytes) { return decode<MissingDaemons>(bytes); });
}

TEST_CASE("fences and requests for values survive the wire")
{
    const FenceFrame fence = decode<FenceFrame>(encode(FenceFrame{{0, 2}, -3, std::string("x\0y", 3)}));
    CHECK(fence.ranks == std::vector<int>{0, 2});
    CHECK(fence.status == -3);
    CHECK(fence.data == std::string("x\0y", 3));
    const ModexRequest request = decode<ModexRequest>(encode(ModexRequest{7, 2, 9, "key"}));
    CHECK(request.number == 7);
    CHECK(request.asker == 2);
    CHECK(request.rank == 9);
    CHECK(request.key == "key");
    const ModexAnswer answer = decode<ModexAnswer>(encode(ModexAnswer{7, 2, -1, "data"}));
    CHECK(answer.number == 7);
    CHECK(answer.asker == 2);
    CHECK(answer.status == -1);
    CHECK(answer.data == "data");
    check_hostile(encode(FenceFrame{{0, 2}, 0, {}}),
                  [](std::string_view bytes) { return decode<FenceFrame>(bytes); });
    check_hostile(encode(ModexRequest{7, 2, 9, "key"}),
                  [](std::string_view bytes) { return decode<ModexRequest>(bytes); });
    check_hostile(encode(ModexAnswer{7, 2, -1, {}}),
                  [](std::string_view bytes) { return decode<ModexAnswer>(bytes); });
}

TEST_CASE("the record for a daemon is one line, and only such a line is taken")
{
    const DaemonRecord record{Key::random(), {Identity::Kind::daemon, 4}, {"10.0.0.1", "::1"}, 4711, 5,
                              {{"b", 5}}};
    const std::string line = encode(record);
    CHECK(line.find('\n') == line.size() - 1);
    const DaemonRecord copy = decode_daemon_record(line);
    CHECK(copy.key == record.key);
    CHECK(copy.parent == record.parent);
    CHECK(copy.addresses == record.addresses);
    CHECK(copy.port == 4711);
    CHECK(copy.node == 5);
    CHECK(copy.nodes == record.nodes);
    for (const std::string& hostile : {std::string(), std::string("{}"), line.substr(0, line.size() / 2),
                                       std::string("[1]"), std::string(100'000, '[')}) {
        CHECK_THROWS_AS(decode_daemon_record(hostile), std::runtime_error);
    }
    try {
        decode_daemon_record(line.substr(0, line.size() - 3));
        FAIL("half a record was taken");
    } catch (const std::runtime_error& error) {
        CHECK(std::string(error.what()).find(record.key.to_hex()) == std::string::npos);
    }
}
