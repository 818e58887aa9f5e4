// Whoever is not of the job: dropped, told once, and the job goes on.
#include <catch2/catch.hpp>

#include "tests/unit/tcp/support.hpp"

using namespace tutti::test;
using namespace tutti::security;
using Catch::Matchers::Contains;
using tutti::transport::tcp::kProtocolVersion;

namespace {

void check_job_goes_on(TcpRank& zero, TcpRank& one)
{
    zero.connect(one, 1);
    zero.send(1, "on it goes");
    REQUIRE(drive({&zero, &one}, [&] { return one.sink.frames.size() == 1; }));
    CHECK(one.sink.frames[0].payload == "on it goes");
    CHECK(zero.sink.losses.empty());
    CHECK(one.sink.losses.empty());
}

struct Job {
    Key key = Key::random();
    TcpRank zero{0, 2, key};
    TcpRank one{1, 2, key};
    CapturedErrors errors;

    bool drops(RawPeer& outsider)
    {
        return drive({&one}, [&] { return outsider.is_closed(); });
    }
};

Bytes hello_of(const Key& key, int from, int to)
{
    const Handshake handshake =
        Handshake::dial(key, kProtocolVersion, {Identity::Kind::rank, static_cast<std::uint32_t>(from)},
                        {Identity::Kind::rank, static_cast<std::uint32_t>(to)});
    const auto hello = handshake.outgoing();
    return {hello.begin(), hello.end()};
}

// Stands between a dialer and a rank, and writes down what the dialer says.
class Tap {
public:
    std::uint16_t port() const { return listener_.port(); }

    void pass_on(std::uint16_t to)
    {
        if (dialer_ == nullptr) {
            dialer_ = listener_.accept();
            if (dialer_ == nullptr)
                return;
            rank_ = std::make_unique<RawPeer>(to);
        }
        const Bytes said = dialer_->read();
        recorded.insert(recorded.end(), said.begin(), said.end());
        rank_->write(said);
        dialer_->write(rank_->read());
    }

    Bytes recorded;

private:
    RawListener listener_{"127.0.0.1"};
    std::unique_ptr<RawPeer> dialer_;
    std::unique_ptr<RawPeer> rank_;
};

}  // namespace

TEST_CASE("garbage at the port is dropped at once, and told once")
{
    Job job;
    for (int i = 0; i < 3; ++i) {
        RawPeer outsider(job.one.port());
        outsider.write("GET / HTTP/1.1\r\nHost: b\r\n\r\n");
        REQUIRE(job.drops(outsider));
    }
    CHECK_THAT(job.errors.text(),
               Contains("tutti: rank 1 (host host1): dropped a connection from 127.0.0.1:") &&
                   Contains(": it does not speak Tutti's protocol\n"));
    CHECK(count(job.errors.text(), "\n") == 1);
    check_job_goes_on(job.zero, job.one);
}

TEST_CASE("a rank of another job, and one that only says that it is of this one")
{
    Job job;
    RawPeer foreign(job.one.port());
    CHECK_FALSE(foreign.join(job.one, 1, Key::random(), 0));
    CHECK_THAT(job.errors.text(), Contains("it belongs to another job"));

    RawPeer liar(job.one.port());
    Bytes hello = hello_of(job.key, 0, 1);
    hello.resize(hello.size() + 32, std::byte{7});  // and a proof that is none
    liar.write(hello);
    REQUIRE(job.drops(liar));
    CHECK_THAT(job.errors.text(), Contains("it does not know the job's key"));
    check_job_goes_on(job.zero, job.one);
}

TEST_CASE("a daemon, or a rank beyond the last, is none of the ranks")
{
    Job job;
    const Identity who = GENERATE(Identity{Identity::Kind::daemon, 0}, Identity{Identity::Kind::rank, 2});
    Handshake handshake = Handshake::dial(job.key, kProtocolVersion, who, {Identity::Kind::rank, 1});
    RawPeer pending(job.one.port());
    pending.write(handshake.outgoing());
    handshake.sent(handshake.outgoing().size());
    REQUIRE(drive({&job.one}, [&] {
        handshake.take(pending.read(handshake.wanted()));
        return handshake.state() == Handshake::State::proved;
    }));
    pending.write(handshake.outgoing());
    REQUIRE(job.drops(pending));
    CHECK_THAT(job.errors.text(), Contains("it is no rank of this job"));
}

TEST_CASE("what was recorded opens nothing later")
{
    Job job;
    Tap tap;
    auto contact = *tutti::connection::Contact::parse(job.one->address());
    contact.port = tap.port();
    job.zero->connect(1, contact.to_bytes());
    job.zero.send(1, "secret");
    REQUIRE(drive({&job.zero, &job.one}, [&] {
        tap.pass_on(job.one.port());
        return job.one.sink.frames.size() == 1;
    }));
    RawPeer replayer(job.one.port());
    replayer.write(tap.recorded);
    REQUIRE(job.drops(replayer));
    CHECK_THAT(job.errors.text(), Contains("it does not know the job's key"));
    CHECK(job.one.sink.frames.size() == 1);
    CHECK(job.one.sink.losses.empty());
}

TEST_CASE("half a handshake")
{
    Job job;
    const Bytes hello = hello_of(job.key, 0, 1);
    {
        RawPeer outsider(job.one.port());
        outsider.write(std::span(hello).first(20));
        for (int i = 0; i < 200; ++i)
            job.one.progress();
        CHECK_FALSE(outsider.is_closed());
    }
    REQUIRE(drive({&job.one}, [&] { return !job.errors.text().empty(); }));
    CHECK_THAT(job.errors.text(), Contains("it closed the connection during the handshake"));
    check_job_goes_on(job.zero, job.one);
}

TEST_CASE("who comes and goes without a word is not worth one")
{
    Job job;
    {
        RawPeer outsider(job.one.port());
    }
    for (int i = 0; i < 200; ++i)
        job.one.progress();
    CHECK(job.errors.text().empty());
    check_job_goes_on(job.zero, job.one);
}

TEST_CASE("who comes to an address that was not chosen is turned away")
{
    const Key key = Key::random();
    TcpRank one(1, 2, key, std::chrono::seconds(20), "127.0.0.0/8");
    CHECK_THROWS(RawPeer(one.port(), "127.0.0.2"));  // one address: nobody listens on others

    // Two, where the machine has IPv6.
    TcpRank other(1, 2, key, std::chrono::seconds(20), "lo");
    if (tutti::connection::Contact::parse(other->address())->addresses.size() < 2)
        return;
    const CapturedErrors errors;
    RawPeer outsider(other.port(), "127.0.0.2");
    REQUIRE(drive({&other}, [&] { return outsider.is_closed(); }));
    CHECK_THAT(errors.text(),
               Contains("dropped a connection from 127.0.0.1:") &&
                   Contains("it came to 127.0.0.2, which is not among the addresses chosen: lo "
                            "127.0.0.1/8, lo ::1/128"));
    RawPeer welcome(other.port(), "127.0.0.1");
    CHECK(welcome.join(other, 1, key, 0));
}

TEST_CASE("a crowd of silent outsiders is bounded, and keeps nobody out")
{
    Job job;
    std::vector<std::unique_ptr<RawPeer>> crowd;
    for (int i = 0; i < 100; ++i)
        crowd.push_back(std::make_unique<RawPeer>(job.one.port()));
    const auto left = [&] {
        return std::ranges::count_if(crowd, [](const auto& outsider) { return !outsider->is_closed(); });
    };
    REQUIRE(drive({&job.one}, [&] { return left() <= 64; }));
    check_job_goes_on(job.zero, job.one);
    CHECK(left() >= 60);
}

TEST_CASE("many that claim to be one rank are bounded, too")
{
    Job job;
    const Bytes hello = hello_of(job.key, 0, 1);
    std::vector<std::unique_ptr<RawPeer>> crowd;
    for (int i = 0; i < 20; ++i) {
        crowd.push_back(std::make_unique<RawPeer>(job.one.port()));
        crowd.back()->write(hello);
    }
    REQUIRE(drive({&job.one}, [&] {
        return std::ranges::count_if(crowd, [](const auto& pending) { return !pending->is_closed(); }) <= 2;
    }));
    check_job_goes_on(job.zero, job.one);
}
