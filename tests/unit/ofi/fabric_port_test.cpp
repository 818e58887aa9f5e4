// Raw bytes at the port that libfabric itself opens: Tutti does not read what comes there, and cannot keep
// anybody from it. What is promised all the same: ranks of the job still get through.
#include <catch2/catch.hpp>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <random>

#include "tests/unit/ofi/other_process.hpp"

using namespace tutti::test;
using namespace tutti::transport::ofi;
using tutti::base::UniqueFd;
using tutti::security::Key;
using tutti::transport::SendResult;
using namespace std::chrono_literals;

namespace {

/// Tells its contact, and says every frame back that it gets, until its channel is closed.
void echoing_rank(int channel, const Key& key, const std::string& provider)
{
    OfiRank rank({.rank = 1, .ranks = 2, .key = key, .provider = provider, .linger = 0ms});
    const Bytes mine = rank.transport->address();
    Bytes theirs(4096);
    if (::send(channel, mine.data(), mine.size(), 0) < 0)
        _exit(1);
    pollfd reported{.fd = channel, .events = POLLIN, .revents = 0};
    while (poll(&reported, 1, 0) == 0)
        rank.progress();
    theirs.resize(static_cast<std::size_t>(std::max<ssize_t>(0, recv(channel, theirs.data(), 4096, 0))));
    rank.transport->connect(0, theirs);
    for (std::size_t echoed = 0; rank.sink.losses.empty();) {
        if (echoed < rank.sink.payloads.size() &&
            rank.send(0, rank.sink.payloads[echoed]) == SendResult::done)
            ++echoed;
        rank.progress();
        usleep(10);
    }
}

sockaddr_storage address_in(std::span<const std::byte> name)
{
    sockaddr_storage address{};
    REQUIRE(name.size() <= sizeof address);
    std::memcpy(&address, name.data(), name.size());
    return address;
}

class RawVisitor {
public:
    explicit RawVisitor(const FabricContact& contact)
    {
        const sockaddr_storage to = address_in(contact.endpoint);
        fd_ = UniqueFd(socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
        REQUIRE(::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to),
                          static_cast<socklen_t>(contact.endpoint.size())) == 0);
    }
    /// As much as goes without waiting.
    void write(std::span<const std::byte> bytes)
    {
        while (!bytes.empty()) {
            const ssize_t gone = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (gone <= 0)
                return;
            bytes = bytes.subspan(static_cast<std::size_t>(gone));
        }
    }

private:
    UniqueFd fd_;
};

/// What libfabric says first to an endpoint that it connects to.
Bytes first_words(const std::string& provider)
{
    Endpoint endpoint(choose_provider({.name = provider}, loopback_addresses()));
    sockaddr_storage at = address_in(endpoint.name());
    auto* const raw = reinterpret_cast<sockaddr*>(&at);
    auto size = static_cast<socklen_t>(endpoint.name().size());
    reinterpret_cast<sockaddr_in&>(at).sin_port = 0;  // where that of IPv6 is, too
    UniqueFd listener(socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    REQUIRE(bind(listener.get(), raw, size) == 0);
    REQUIRE(listen(listener.get(), 1) == 0);
    REQUIRE(getsockname(listener.get(), raw, &size) == 0);
    const fi_addr_t to = endpoint.insert(std::as_bytes(std::span(&at, 1)).first(endpoint.name().size()));
    UniqueFd connection;
    Bytes words(4096);
    ssize_t got = 0;
    REQUIRE(drive_until(
        [&] {
            endpoint.inject(to, Bytes(8));
            std::array<Completed, 4> completed;
            if (endpoint.poll(completed) < 0)
                endpoint.failed();
            if (!connection)
                connection =
                    UniqueFd(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
            else
                got = recv(connection.get(), words.data(), words.size(), 0);
        },
        [&] { return got > 0; }));
    words.resize(static_cast<std::size_t>(got));
    return words;
}

Bytes random_bytes(std::mt19937& random, std::size_t size)
{
    Bytes bytes(size);
    for (std::byte& byte : bytes)
        byte = static_cast<std::byte>(random());
    return bytes;
}

}  // namespace

TEST_CASE("raw bytes at libfabric's own port")
{
    const std::string provider = GENERATE("net", "tcp;ofi_rxm");
    const std::string what = GENERATE("anything", "its own words, cut off", "its own words, and garbage");
    CAPTURE(provider, what);
    const Key key = Key::random();
    OtherProcess process([&](int channel) { echoing_rank(channel, key, provider); });
    const Bytes contact_bytes = process.receive();
    const FabricContact contact = *FabricContact::parse(contact_bytes);
    const Bytes words = first_words(provider);
    std::mt19937 random(7);
    std::vector<RawVisitor> visitors;
    const auto visit = [&] {
        for (std::size_t i = 0; i < 20; ++i) {
            RawVisitor& visitor = visitors.emplace_back(contact);
            Bytes bytes = words;
            if (what == "anything" && i % 4 != 0)  // every fourth says nothing
                bytes =
                    i % 4 == 1 ? Bytes(1 << 20, static_cast<std::byte>(i)) : random_bytes(random, 1 + i * 29);
            else if (what == "anything")
                bytes.clear();
            else if (what.ends_with("cut off"))
                bytes.resize(i % bytes.size());
            else if (i % 2 == 0)
                bytes[i / 2 % bytes.size()] ^= std::byte{0xff};
            visitor.write(bytes);
            if (what.ends_with("and garbage")) {
                std::this_thread::sleep_for(1ms);
                visitor.write(random_bytes(random, 1 + i * 29));
            }
            if (what == "anything" && i % 4 == 3)
                visitors.pop_back();
        }
    };
    OfiRank rank({.rank = 0, .ranks = 2, .key = key, .provider = provider, .linger = 0ms});
    const auto exchange = [&](std::size_t number) {
        bool gone = false;
        REQUIRE(drive_until(
            [&] {
                gone = gone || rank.send(1, Bytes(number)) == SendResult::done;
                rank.progress();
            },
            [&] { return rank.sink.payloads.size() == number || !rank.sink.losses.empty(); }));
        CHECK(rank.sink.reasons == std::vector<std::string>{});
        REQUIRE(rank.sink.payloads.size() == number);
        CHECK(rank.sink.payloads.back() == Bytes(number));
    };
    // libfabric 1.17 reads the rest of a first message without looking whether it is there: for as long as
    // somebody keeps one back, the rank stands still.
    const auto wait_for_visits = [&] {
        std::this_thread::sleep_for(50ms);
        if (what.ends_with("cut off"))
            visitors.clear();
    };
    visit();
    wait_for_visits();
    process.send(rank.transport->address());
    rank.transport->connect(1, contact_bytes);
    exchange(1);
    visit();
    wait_for_visits();
    exchange(2);
    exchange(3);
}
