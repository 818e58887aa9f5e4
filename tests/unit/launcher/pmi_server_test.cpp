#include "launcher/pmi/pmi_server.hpp"

#include <sys/socket.h>

#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "launcher/wire/wire.hpp"

using namespace tutti::launcher;

namespace {

using Words = std::vector<std::string>;

/// The server of a node with ranks 0 and 1, of a job whose rank 2 is elsewhere; what it reports, and the
/// ranks' ends.
struct ServedNode {
    ServedNode() : server(loop, events())
    {
        LaunchOrder order;
        order.job_name = "job";
        order.nodes.resize(2);
        for (const int rank : {0, 1, 2}) {
            RankPlacement placement;
            placement.rank = rank;
            placement.node = rank / 2;
            placement.app = rank;
            order.ranks.push_back(placement);
        }
        server.set_job(order, 0);
        for (const int rank : {0, 1})
            ends.push_back(server.open(rank));
    }

    PmiServer::Events events()
    {
        return {.joined = [this](int rank) { said.push_back("joined " + std::to_string(rank)); },
                .left = [this](int rank) { said.push_back("left " + std::to_string(rank)); },
                .aborted =
                    [this](int rank, int status) {
                        said.push_back(std::to_string(rank) + " aborted " + std::to_string(status));
                    },
                .barrier =
                    [this](std::string data, PmiServer::Answer answer) {
                        put = std::move(data);
                        leave = std::move(answer);
                    },
                .note = [this](const std::string& text) { said.push_back(text); }};
    }

    /// What the rank gets for it: lines, or "closed".
    std::string ask(int rank, const std::string& bytes)
    {
        const int end = ends[static_cast<std::size_t>(rank)].get();
        CHECK(::send(end, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0);
        server.read_all();
        return got(rank);
    }
    std::string got(int rank)
    {
        std::array<char, 65536> bytes;
        const ssize_t count =
            ::recv(ends[static_cast<std::size_t>(rank)].get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        return count < 0    ? ""
               : count == 0 ? "closed"
                            : std::string(bytes.data(), static_cast<std::size_t>(count));
    }
    std::string put_result(const std::string& words) { return ask(0, "cmd=put kvsname=job " + words + '\n'); }

    EventLoop loop;
    Words said;
    std::string put;
    PmiServer::Answer leave;
    PmiServer server;
    std::vector<UniqueFd> ends;
};

using Catch::Contains;

}  // namespace

TEST_CASE("a library of MPICH learns who it is")
{
    ServedNode node;
    CHECK(node.ask(1, "cmd=init pmi_version=1 pmi_subversion=1\n") ==
          "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
    CHECK(node.ask(1, "cmd=get_maxes\n") == "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n");
    CHECK(node.ask(1, "cmd=get_appnum\n") == "cmd=appnum appnum=1\n");
    CHECK(node.ask(1, "cmd=get_my_kvsname\ncmd=get_universe_size\n") ==
          "cmd=my_kvsname kvsname=job\ncmd=universe_size size=3\n");
    CHECK(node.ask(1, "cmd=get kvsname=job key=PMI_process_mapping\n") ==
          "cmd=get_result rc=0 msg=success value=(vector,(0,1,2),(1,1,1))\n");
    CHECK(node.ask(1, "cmd=fin") == "");  // the line goes on
    CHECK(node.ask(1, "alize\n") == "cmd=finalize_ack\n");
    CHECK(node.ask(0, "cmd=abort exitcode=7\n") == "");
    CHECK(node.said == Words{"joined 1", "left 1", "0 aborted 7"});
}

TEST_CASE("what all nodes put is known behind the barrier, and not before")
{
    ServedNode node;
    CHECK(node.ask(0, "cmd=put kvsname=job key=card value=zero=0\n") == "cmd=put_result rc=0 msg=success\n");
    CHECK_THAT(node.ask(0, "cmd=get kvsname=job key=card\n"), Contains("rc=-1 msg=key_not_found"));
    CHECK(node.ask(0, "cmd=barrier_in\n") == "");
    CHECK_FALSE(node.leave);
    CHECK(node.ask(1, "cmd=barrier_in\n") == "");
    REQUIRE(node.leave);
    CHECK(node.put == WireWriter().put(std::string_view("card")).put(std::string_view("zero=0")).bytes());
    node.leave(true,
               node.put + WireWriter().put(std::string_view("far")).put(std::string_view("two")).bytes());
    CHECK(node.got(0) == "cmd=barrier_out rc=0\n");
    CHECK(node.got(1) == "cmd=barrier_out rc=0\n");
    CHECK(node.ask(1, "cmd=get kvsname=job key=card\n") == "cmd=get_result rc=0 msg=success value=zero=0\n");
    CHECK(node.ask(1, "cmd=get kvsname=job key=far\n") == "cmd=get_result rc=0 msg=success value=two\n");
    CHECK_THAT(node.ask(1, "cmd=get kvsname=other key=far\n"), Contains("rc=-1"));

    node.ask(0, "cmd=barrier_in\n");
    node.ask(1, "cmd=barrier_in\n");
    CHECK(node.put.empty());
    node.leave(false, {});  // a rank has ended
    CHECK(node.got(0) == "closed");
    CHECK(node.got(1) == "closed");
}

TEST_CASE("values and keys that are too long or no words are refused")
{
    ServedNode node;
    CHECK_THAT(node.put_result("key=a value=" + std::string(1023, 'x')), Contains("rc=0"));
    CHECK_THAT(node.put_result("key=a value=" + std::string(1024, 'x')),
               Contains("rc=-1 msg=value_too_long"));
    CHECK_THAT(node.put_result("key=" + std::string(63, 'k') + " value=x"), Contains("rc=0"));
    CHECK_THAT(node.put_result("key=" + std::string(64, 'k') + " value=x"),
               Contains("rc=-1 msg=key_too_long"));
    CHECK_THAT(node.put_result("value=x"), Contains("rc=-1 msg=no_such_key"));
    CHECK_THAT(node.put_result("key=a value=b\tc"), Contains("rc=-1 msg=value_with_control_characters"));
    CHECK_THAT(node.ask(0, "cmd=put key=a value=b\n"), Contains("rc=-1 msg=no_such_kvsname"));
    for (int i = 2; i < 4096; ++i)
        CHECK_THAT(node.put_result("key=a value=x"), Contains("rc=0"));
    CHECK_THAT(node.put_result("key=a value=x"), Contains("rc=-1 msg=too_many_keys"));
    CHECK(node.said.empty());
}

TEST_CASE("what tuttirun does not serve is refused, and the user hears of it")
{
    ServedNode node;
    CHECK(node.ask(0, "mcmd=spawn\nnprocs=1\nexecname=a\narg1=two words\nendcmd\n") ==
          "cmd=spawn_result rc=-1 msg=not_supported_by_tuttirun\n");
    CHECK_THAT(node.ask(0, "cmd=lookup_name service=a\n"), Contains("cmd=lookup_result rc=-1"));
    CHECK_THAT(node.ask(0, "cmd=dance\n"), Contains("cmd=dance_result rc=-1"));
    REQUIRE(node.said.size() == 1);  // the first
    CHECK(node.said[0] ==
          "rank 0 asks the launcher to start further processes (MPI_Comm_spawn), which tuttirun "
          "does not do for --mpi own");
    CHECK_THAT(node.ask(0, "cmd=get_appnum\n"), Contains("appnum=0"));
}

TEST_CASE("a rank that sends what is no line of PMI loses its connection, and no other does")
{
    const std::string bad = GENERATE(
        std::string("GET / HTTP/1.1\n"), std::string("cmd=put value=two words\n"), std::string(10'000, 'x'),
        std::string(10'000, 'x') + '\n', "mcmd=spawn\n" + std::string(10'000, 'x'), std::string("\0\0\n", 3));
    ServedNode node;
    CHECK(node.ask(0, bad) == "closed");
    REQUIRE(node.said.size() == 1);
    CHECK_THAT(node.said[0], Contains("rank 0 has sent over PMI_FD what is no line of PMI-1, '"));
    CHECK(node.said[0].size() < 200);
    CHECK_THAT(node.ask(1, "cmd=get_appnum\n"), Contains("appnum=1"));
}

TEST_CASE("a rank that takes no answers loses its connection")
{
    ServedNode node;
    std::string questions;
    for (int i = 0; i < 1000; ++i)
        questions += "cmd=get kvsname=job key=PMI_process_mapping\n";
    std::size_t asked = 0;
    const int end = node.ends[0].get();
    while (asked < 1000 && ::send(end, questions.data(), questions.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
        node.server.read_all();
        ++asked;
    }
    CHECK(asked < 1000);
    node.server.ended(0);
    node.server.ended(1);
}
