// The client of PMI-1 and a launcher of the test's own, which may answer anything.
#include "lib/engine/bootstrap/pmi_client.hpp"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <map>
#include <thread>

#include <catch2/catch.hpp>

using tutti::bootstrap::PmiClient;
using tutti::control::PmiLine;

namespace {

/// Answers a job's only client on a thread, and keeps what it puts.
class Launcher {
public:
    using Answer = std::function<std::string(const PmiLine& question)>;

    /// `special` answers what it has an answer for; the others are answered as Hydra does. "close" closes.
    explicit Launcher(Answer special, int rank = 0, int size = 2) : special_(std::move(special))
    {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
        socket_ = ends[0];
        ::setenv("PMI_FD", std::to_string(ends[1]).c_str(), 1);  // the client's from now on
        ::setenv("PMI_RANK", std::to_string(rank).c_str(), 1);
        ::setenv("PMI_SIZE", std::to_string(size).c_str(), 1);
        thread_ = std::thread([this] { serve(); });
    }
    ~Launcher()
    {
        thread_.join();
        for (const char* const name : {"PMI_FD", "PMI_RANK", "PMI_SIZE"})
            ::unsetenv(name);
    }
    Launcher(const Launcher&) = delete;
    Launcher& operator=(const Launcher&) = delete;

    std::map<std::string, std::string> values{{"PMI_process_mapping", "(vector,(0,1,1))"}};
    std::size_t longest_line = 0;  // to be read after the client's end
    int barriers = 0;

private:
    void serve()
    {
        FILE* const lines = ::fdopen(socket_, "r+");
        std::array<char, 4096> line;
        while (std::fgets(line.data(), line.size(), lines) != nullptr) {
            const std::string_view text(line.data());
            longest_line = std::max(longest_line, text.size());
            const auto question = PmiLine::parse(text.substr(0, text.size() - 1));
            std::string answer = question ? special_(*question) : "close";
            if (answer.empty())
                answer = answer_of_hydra(*question);
            if (answer == "close" || ::send(socket_, answer.data(), answer.size(), MSG_NOSIGNAL) < 0)
                break;
        }
        std::fclose(lines);
    }
    std::string answer_of_hydra(const PmiLine& question)
    {
        const std::string key(question.field("key"));
        if (question.command() == "init")
            return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n";
        if (question.command() == "get_maxes")
            return "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n";
        if (question.command() == "get_my_kvsname")
            return "cmd=my_kvsname kvsname=kvs_0\n";
        if (question.command() == "put") {
            values[key] = question.field("value");
            return "cmd=put_result rc=0 msg=success\n";
        }
        if (question.command() == "get" && values.contains(key))
            return "cmd=get_result rc=0 msg=success value=" + values.at(key) + '\n';
        if (question.command() == "get")
            return "cmd=get_result rc=-1 msg=key_not_found value=unknown\n";
        if (question.command() == "barrier_in") {
            ++barriers;
            return "cmd=barrier_out\n";
        }
        return question.command() == "finalize" ? "cmd=finalize_ack\n" : "close";
    }

    Answer special_;
    int socket_ = -1;
    std::thread thread_;
};

std::string nothing_special(const PmiLine&)
{
    return {};
}

Launcher::Answer to(const std::string& command, const std::string& answer)
{
    return [=](const PmiLine& question) { return question.command() == command ? answer : ""; };
}

std::vector<std::byte> pattern(std::size_t bytes)
{
    std::vector<std::byte> all(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        all[i] = static_cast<std::byte>(i * 7);
    return all;
}

/// The words of the error that `action` ends with.
template <class Action>
std::string error_of(Action action)
{
    try {
        action();
    } catch (const tutti::Error& error) {
        CHECK(error.code() == tutti::ErrorCode::bootstrap);
        return error.what();
    }
    return "no error";
}

using Catch::Contains;

}  // namespace

TEST_CASE("values of any length come back, in lines that Slurm reads, too")
{
    for (const int room : {64, 200, 1024, 1 << 30}) {
        CAPTURE(room);
        Launcher launcher(
            to("get_maxes", "cmd=maxes keylen_max=64 vallen_max=" + std::to_string(room) + '\n'));
        {
            PmiClient client;
            CHECK(client.size() == 2);
            CHECK(client.local_peers().size() == 2);
            CHECK(client.node_of_rank().empty());
            int key = 0;
            for (const std::size_t bytes : {0, 1, 31, 32, 500, 511, 512, 3000}) {
                const std::string name = "key" + std::to_string(key++);
                client.publish(name, pattern(bytes));
                client.make_known();
                CHECK(client.fetch(0, name) == pattern(bytes));
            }
            CHECK_FALSE(client.find(1, "key0"));
            client.finalize();
            CHECK_THAT(error_of([&] { client.find(1, "key0"); }), Contains("this rank has left the job"));
        }
        CHECK(launcher.longest_line < 1024);
        CHECK(launcher.barriers == 8);
        for (const auto& [key, value] : launcher.values)
            CHECK(value.size() < static_cast<std::size_t>(room));
    }
}

TEST_CASE("the job's key is rank 0's, and the same at all")
{
    std::map<std::string, std::string> values;
    std::string key;
    {
        Launcher launcher(nothing_special);
        PmiClient client;
        key = client.job_key();
        CHECK(key.size() == 64);
        client.finalize();
        values = launcher.values;
    }
    Launcher launcher(nothing_special, 1);
    launcher.values = values;
    PmiClient client;
    CHECK(client.job_key() == key);
    client.finalize();
}

TEST_CASE("without a mapping the hosts' names tell the nodes")
{
    const std::string mapping = GENERATE("none", "(vector,(0,0,1))");
    Launcher launcher(nothing_special, 1, 3);
    launcher.values = {
        {"PMI_process_mapping", mapping}, {"tutti.host.0.0", "far"}, {"tutti.host.2.0", "far"}};
    PmiClient client;
    CHECK(std::vector(client.node_of_rank().begin(), client.node_of_rank().end()) == std::vector{0, 1, 0});
    CHECK(std::vector(client.local_peers().begin(), client.local_peers().end()) == std::vector{1});
    CHECK(client.host_of(2) == "far");
    CHECK(client.host_of(1) == launcher.values.at("tutti.host.1.0"));
    client.finalize();
}

TEST_CASE("a launcher that answers otherwise is an error that says what it has said")
{
    const auto start = [](const std::string& command, const std::string& answer) {
        Launcher launcher(to(command, answer));
        return error_of([] { PmiClient client; });
    };
    CHECK_THAT(start("init", "close"), Contains("the launcher has closed its connection to this rank"));
    CHECK_THAT(start("init", "cmd=response_to_init rc=-1\n"), Contains("refuses 'cmd=init pmi_version=1"));
    CHECK_THAT(start("init", "HTTP/1.1 400 Bad Request\n"),
               Contains("answers 'HTTP/1.1 400 Bad Request' to 'cmd=init"));
    CHECK_THAT(start("init", "cmd=finalize_ack\n"), Contains("answers 'cmd=finalize_ack'"));
    CHECK_THAT(start("init", std::string(20'000, 'x')),
               Contains("more than 8192 bytes without the end of a line"));
    CHECK_THAT(start("init", std::string(4'000, '\0') + '\n'), Contains("answers"));
    CHECK_THAT(start("get_maxes", "cmd=maxes keylen_max=8 vallen_max=1024\n"),
               Contains("keys of 7 characters"));
    CHECK_THAT(start("get_maxes", "cmd=maxes\n"), Contains("values of 0"));
    CHECK_THAT(start("get_maxes", "cmd=maxes keylen_max=-1 vallen_max=-5\n"),
               Contains("keys of 0 characters"));
    CHECK_THAT(start("get_my_kvsname", "cmd=my_kvsname kvsname=" + std::string(1000, 'x') + '\n'),
               Contains("values of 0"));
    CHECK_THAT(start("put", "cmd=put_result rc=-1 msg=no_room\n"),
               Contains("refuses 'cmd=put kvsname=kvs_0"));
}

TEST_CASE("pieces that are none of Tutti's are an error, not a wrong value")
{
    Launcher launcher(nothing_special);
    const std::vector<std::string> bad{"",
                                       "x",
                                       "5",
                                       ":00",
                                       "-1:",
                                       "2:00",
                                       "1:0",
                                       "1:000",
                                       "1:zz",
                                       "99999999999:00",
                                       "99999999999999999999999:00"};
    for (std::size_t i = 0; i < bad.size(); ++i)
        launcher.values["bad" + std::to_string(i) + ".1.0"] = bad[i];
    launcher.values["empty.1.0"] = "2:00";
    launcher.values["empty.1.1"] = "";
    PmiClient client;
    for (std::size_t i = 0; i < bad.size(); ++i) {
        CAPTURE(bad[i]);
        CHECK_THAT(error_of([&] { client.fetch(1, "bad" + std::to_string(i)); }),
                   Contains("none of Tutti's"));
    }
    CHECK_THAT(error_of([&] { client.fetch(1, "empty"); }), Contains("none of Tutti's"));
    CHECK_THAT(error_of([&] { client.fetch(1, "missing"); }), Contains("rank 1 has published no 'missing'"));
    for (const std::string& key : {std::string("two words"), std::string("line\n"), std::string(80, 'k')})
        CHECK_THAT(error_of([&] { client.publish(key, pattern(1)); }), Contains("without blanks, not"));
    client.finalize();
}

TEST_CASE("an environment that names no launcher is an error")
{
    const auto error_with = [](const char* descriptor, const char* rank, const char* size) {
        ::setenv("PMI_FD", descriptor, 1);
        ::setenv("PMI_RANK", rank, 1);
        ::setenv("PMI_SIZE", size, 1);
        const std::string error = error_of([] { PmiClient client; });
        for (const char* const name : {"PMI_FD", "PMI_RANK", "PMI_SIZE"})
            ::unsetenv(name);
        return error;
    };
    for (const char* const descriptor : {"", "x", "-1", "999", "99999999999", "0x1"})
        CHECK_THAT(error_with(descriptor, "0", "2"), Contains("PMI_FD names no connection"));
    std::array<int, 2> pipe{};
    REQUIRE(::pipe(pipe.data()) == 0);
    CHECK_THAT(error_with(std::to_string(pipe[0]).c_str(), "0", "2"), Contains("PMI_FD names no connection"));
    ::close(pipe[0]);
    ::close(pipe[1]);
    for (const auto& [rank, size] :
         {std::pair{"2", "2"}, {"-1", "2"}, {"0", "0"}, {"x", "2"}, {"0", "99999999"}}) {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
        CHECK_THAT(error_with(std::to_string(ends[0]).c_str(), rank, size),
                   Contains("PMI_RANK and PMI_SIZE"));
        ::close(ends[1]);
    }
}
