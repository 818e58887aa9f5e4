// Programs that tell Tutti themselves who their ranks are: processes forked here, which no launcher knows.
#include <array>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <numeric>

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "examples/directory_bootstrap.hpp"
#include "tests/sanitizers.hpp"

namespace {

using tutti::Communicator;
using tutti::Environment;

class TemporaryDirectory {
public:
    TemporaryDirectory() { REQUIRE(::mkdtemp(path_.data()) != nullptr); }
    ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_ = std::filesystem::temp_directory_path() / "tutti-embedding-XXXXXX";
};

/// What became of a process: its exit status, or 128 and the signal's number; and what it returned.
struct End {
    int status = -1;
    std::string words;
};

std::string words_of_error(const std::function<std::string()>& body)
{
    try {
        return body();
    } catch (const tutti::Error& error) {
        return error.what();
    }
}

/// body(directory, i) in `processes` processes.
std::vector<End> run(int processes, const std::function<std::string(const std::string&, int)>& body)
{
    const TemporaryDirectory directory;
    const auto words_file = [&](int i) { return directory.path() + "/words." + std::to_string(i); };
    std::vector<pid_t> pids;
    for (int i = 0; i < processes; ++i) {
        pids.push_back(::fork());
        if (pids.back() == 0) {
            ::alarm(tutti::test::kSanitized ? 90 : 45);
            const std::string words = words_of_error([&] { return body(directory.path(), i); });
            std::ofstream(words_file(i)) << words;
            ::_exit(0);
        }
    }
    std::vector<End> ends;
    for (int i = 0; i < processes; ++i) {
        int status = 0;
        ::waitpid(pids[static_cast<std::size_t>(i)], &status, 0);
        std::ifstream file(words_file(i));
        ends.push_back({WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
                        std::string(std::istreambuf_iterator<char>(file), {})});
    }
    return ends;
}

/// A DirectoryBootstrap that knows where its ranks are, and tells when it is aborted.
class Placed : public DirectoryBootstrap {
public:
    Placed(const std::string& directory, int rank, std::vector<int> nodes, int size = 0)
        : DirectoryBootstrap(directory, rank, size > 0 ? size : static_cast<int>(nodes.size())),
          directory_(directory),
          nodes_(std::move(nodes))
    {
    }
    std::vector<int> nodes() override { return nodes_; }
    void abort(int status, std::string_view message) noexcept override
    {
        std::ofstream(directory_ + "/aborted") << status << ' ' << message;
    }

private:
    std::string directory_;
    std::vector<int> nodes_;
};

/// Of a job that loses a rank.
class Shrinking final : public Placed {
public:
    using Placed::Placed;
    void fence() override { throw std::runtime_error("a rank is gone"); }
};

/// Collectives, and messages of all sizes around a ring. "" if all is well.
std::string exchange(const Communicator& world)
{
    std::vector<int> sums(1000, world.rank());
    world.allreduce(sums, tutti::sum);
    if (sums != std::vector<int>(1000, world.size() * (world.size() - 1) / 2))
        return "wrong sum";
    const int right = (world.rank() + 1) % world.size();
    const int left = (world.rank() + world.size() - 1) % world.size();
    for (const std::size_t count :
         {std::size_t{0}, std::size_t{1}, std::size_t{3000}, std::size_t{1} << 20}) {
        std::vector<int> out(count);
        std::iota(out.begin(), out.end(), world.rank());
        std::vector<int> in(count);
        world.sendrecv(out, right, 5, in, left, 5);
        std::vector<int> expected(count);
        std::iota(expected.begin(), expected.end(), left);
        if (in != expected)
            return "wrong message of " + std::to_string(count);
    }
    return "";
}

}  // namespace

TEST_CASE("ranks of one node that find each other in a directory")
{
    const auto ends = run(3, [](const std::string& directory, int rank) {
        Environment environment(std::make_unique<DirectoryBootstrap>(directory, rank, 3));
        const Communicator world = environment.world();
        return exchange(world) + std::to_string(world.split_by_node().size());
    });
    for (const End& end : ends) {
        CHECK(end.status == 0);
        CHECK(end.words == "3");
    }
}

TEST_CASE("ranks of two nodes talk by TCP")
{
    ::setenv("TUTTI_FABRIC", "tcp", 1);
    const auto ends = run(3, [](const std::string& directory, int rank) {
        Environment environment(std::make_unique<Placed>(directory, rank, std::vector{7, 4, 7}));
        const Communicator world = environment.world();
        return exchange(world) + std::to_string(world.split_by_node().size());
    });
    ::unsetenv("TUTTI_FABRIC");
    CHECK(ends[0].words == "2");
    CHECK(ends[1].words == "1");
    CHECK(ends[2].words == "2");
    for (const End& end : ends)
        CHECK(end.status == 0);
}

TEST_CASE("a job of one rank asks for nothing but its size")
{
    class Silent final : public tutti::Bootstrap {
        int rank() const override { return 0; }
        int size() const override { return 1; }
        void publish(std::string_view, std::span<const std::byte>) override { throw std::logic_error(""); }
        std::vector<std::byte> fetch(int, std::string_view) override { throw std::logic_error(""); }
        void fence() override { throw std::logic_error(""); }
    };
    const auto ends = run(1, [](const std::string&, int) {
        Environment environment(std::make_unique<Silent>());
        return exchange(environment.world()) + std::to_string(environment.world().size());
    });
    CHECK(ends[0].words == "1");
}

TEST_CASE("what the program's bootstrap throws, Environment throws, and the next try is a new one")
{
    class Full final : public DirectoryBootstrap {
    public:
        using DirectoryBootstrap::DirectoryBootstrap;
        void publish(std::string_view, std::span<const std::byte>) override
        {
            throw std::runtime_error("the store is full");
        }
    };
    const auto ends = run(2, [](const std::string& directory, int rank) {
        const std::string words = words_of_error([&] {
            Environment environment(std::make_unique<Full>(directory, rank, 2));
            return "joined";
        });
        Environment environment(std::make_unique<DirectoryBootstrap>(directory, rank, 2));
        return words + exchange(environment.world());
    });
    for (const End& end : ends) {
        CHECK(end.words == "publish: bootstrap failed: the program's own bootstrap says: the store is full");
    }
}

TEST_CASE("ranks and sizes that cannot be are refused")
{
    const auto words = [](int rank, int size) {
        return run(1,
                   [&](const std::string& directory, int) {
                       Environment environment(std::make_unique<DirectoryBootstrap>(directory, rank, size));
                       return std::string("joined");
                   })
            .front()
            .words;
    };
    CHECK_THAT(words(3, 3),
               Catch::StartsWith("start: bootstrap failed: ") && Catch::Contains("says rank 3 of 3"));
    CHECK_THAT(words(-1, 3), Catch::Contains("says rank -1 of 3; ranks are 0 to size - 1"));
    CHECK_THAT(words(0, 0), Catch::Contains("says rank 0 of 0"));
}

TEST_CASE("ranks that disagree learn about what")
{
    const auto join = [](const std::string& directory, int rank, int size, std::vector<int> nodes = {}) {
        Environment environment(std::make_unique<Placed>(directory, rank, std::move(nodes), size));
        return exchange(environment.world());
    };
    const auto sizes = run(2, [&](const std::string& directory, int i) { return join(directory, i, 2 + i); });
    for (const End& end : sizes)
        CHECK_THAT(end.words, Catch::Contains("rank 0 says that the job has 2 ranks, rank 1 says 3"));

    const auto beyond =
        run(3, [&](const std::string& directory, int i) { return join(directory, i, i == 2 ? 3 : 2); });
    CHECK(beyond[0].words.empty());
    CHECK(beyond[1].words.empty());
    CHECK_THAT(beyond[2].words, Catch::Contains("rank 0 says that the job has 2 ranks, this process that it "
                                                "is rank 2 of 3"));

    const auto twins =
        run(3, [&](const std::string& directory, int i) { return join(directory, i > 0 ? 1 : 0, 2); });
    const std::string both = twins[1].words + twins[2].words;
    CHECK_THAT(both, Catch::Contains("two processes say that they are rank 1"));

    const auto nodes = run(2, [&](const std::string& directory, int i) {
        return join(directory, i, 2, {1, 2, 3});
    });
    for (const End& end : nodes)
        CHECK_THAT(end.words, Catch::Contains("names the nodes of 3 ranks, of 2"));
}

TEST_CASE("a rank's death is an error at those that wait for it")
{
    const std::vector<int> nodes = GENERATE(values<std::vector<int>>({{0, 0, 0}, {0, 1, 2}}));
    const bool after_a_message = GENERATE(true, false);
    CAPTURE(nodes, after_a_message);
    ::setenv("TUTTI_FABRIC", "tcp", 1);
    const auto ends = run(3, [&](const std::string& directory, int rank) {
        Environment environment(std::make_unique<Shrinking>(directory, rank, nodes));
        const Communicator world = environment.world();
        if (after_a_message)
            world.barrier();
        if (rank == 2)
            ::raise(SIGKILL);
        int never = 0;
        return words_of_error([&] {
            world.recv(never, 2);
            return "received";
        });
    });
    ::unsetenv("TUTTI_FABRIC");
    CHECK(ends[2].status == 128 + SIGKILL);
    for (int rank = 0; rank < 2; ++rank) {
        CHECK(ends[static_cast<std::size_t>(rank)].status == 0);
        CHECK_THAT(ends[static_cast<std::size_t>(rank)].words,
                   Catch::StartsWith("recv: peer lost: ") && Catch::Contains("rank 2"));
    }
}

TEST_CASE("a rank that aborts, or that an exception ends, tells the program's bootstrap")
{
    const bool by_exception = GENERATE(false, true);
    CAPTURE(by_exception);
    const auto ends = run(2, [&](const std::string& directory, int rank) {
        Environment environment(std::make_unique<Shrinking>(directory, rank, std::vector{0, 0}));
        const Communicator world = environment.world();
        world.barrier();
        if (rank == 1) {
            const std::function<void()> end = [&] {
                if (by_exception)
                    throw std::runtime_error("no input");
                environment.abort(7, "no input");
            };
            [&]() noexcept { end(); }();
        }
        int never = 0;
        const std::string words = words_of_error([&] {
            world.recv(never, 1);
            return "received";
        });
        std::ifstream file(directory + "/aborted");
        return words.substr(0, words.find(':')) + "; " +
               std::string(std::istreambuf_iterator<char>(file), {});
    });
    CHECK(ends[1].status == (by_exception ? 1 : 7));
    CHECK(ends[0].status == 0);
    CHECK(ends[0].words == (by_exception ? "recv; 1 rank 1: uncaught exception: no input"
                                         : "recv; 7 rank 1: called abort: no input"));
}

namespace {

/// Each rank is here until all `ranks` of them have come, so that no rank learns anything from another's end.
void stay_until_here(const std::string& directory, int rank, int ranks)
{
    std::ofstream(directory + "/here." + std::to_string(rank)) << "yes";
    for (int other = 0; other < ranks; ++other)
        while (!std::filesystem::exists(directory + "/here." + std::to_string(other)))
            ::usleep(1000);
}

}  // namespace

TEST_CASE("a rank that dies fails the collective of all ranks, also of those that wait for others")
{
    const std::vector<int> nodes = GENERATE(std::vector{0, 0, 0, 0}, std::vector{0, 1, 2, 3});
    // Two forms, as these wait in different ways.
    const bool blocking = GENERATE(true, false);
    CAPTURE(nodes, blocking);
    ::setenv("TUTTI_FABRIC", "tcp", 1);
    const auto ends = run(4, [&](const std::string& directory, int rank) {
        Environment environment(std::make_unique<Shrinking>(directory, rank, nodes));
        const Communicator world = environment.world();
        std::vector<float> data(1000);
        for (int i = 0; i < 10; ++i)
            world.allreduce(data, tutti::sum);
        if (rank == 3) {
            ::usleep(500'000);
            ::raise(SIGKILL);
        }
        const std::string words = words_of_error([&] {
            if (blocking)
                world.allreduce(data, tutti::sum, {.algorithm = "recursive_doubling"});
            else
                world.iallreduce(data, tutti::sum, {.algorithm = "recursive_doubling"}).wait();
            return "no error";
        });
        const double failed_at = tutti::wall_time();
        std::ofstream(directory + "/failed." + std::to_string(rank)) << failed_at;
        stay_until_here(directory, rank, 3);
        double first = failed_at;
        for (int other = 0; other < 3; ++other) {
            double at = 0;
            std::ifstream(directory + "/failed." + std::to_string(other)) >> at;
            first = std::min(first, at);
        }
        return (failed_at - first < 10 ? "" : "late: ") + words;
    });
    ::unsetenv("TUTTI_FABRIC");
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    for (std::size_t rank = 0; rank < 3; ++rank)
        CHECK_THAT(ends[rank].words,
                   Catch::StartsWith("allreduce: peer lost: rank 3 of the communicator was lost") &&
                       Catch::Contains("4000 bytes") && Catch::Contains(host.data()));
}

TEST_CASE("a rank that waits too long in a collective learns who has not called it")
{
    const auto ends = run(4, [](const std::string& directory, int rank) {
        using namespace std::chrono_literals;
        Environment environment(std::make_unique<Shrinking>(directory, rank, std::vector{0, 0, 0, 0}));
        const tutti::Communicator world = environment.world();
        std::string absent;
        if (rank != 2) {
            // Ranks 1 and 3 give up before rank 0 does.
            tutti::Request barrier = world.ibarrier();
            if (!barrier.wait_for(rank == 0 ? 2s : 1s))
                for (const int member : barrier.absent_ranks(1s))
                    absent += std::to_string(member);
            barrier.give_up();
        }
        stay_until_here(directory, rank, 4);
        return absent;
    });
    CHECK(ends[0].words == "2");
    CHECK(ends[1].words == "2");
    CHECK(ends[2].words.empty());
    CHECK(ends[3].words == "2");
}
