#include "tests/conformance/harness.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>

#include "lib/foundation/base/futex.hpp"
#include "transports/inproc/inproc_transport.hpp"
#include "transports/ofi/ofi_transport.hpp"
#include "transports/self/self_transport.hpp"
#include "transports/shm/shm_transport.hpp"
#include "transports/tcp/tcp_transport.hpp"

namespace tutti::test {

namespace {

// In front of the provider's name, and behind it where memory is registered as adapters want it.
constexpr std::string_view kOfi = "ofi ";
constexpr std::string_view kAsAdapter = " as an adapter";

// Those of libfabric's providers that work between the ranks of one process.
const std::vector<std::string> kFabrics{"ofi net", "ofi tcp;ofi_rxm", "ofi shm", "ofi net as an adapter"};

// TUTTI_TEST_TRANSPORTS: those over libfabric, or the others; without it all.
bool wants(bool over_libfabric)
{
    const char* const which = std::getenv("TUTTI_TEST_TRANSPORTS");
    return which == nullptr || (std::string_view(which) == "ofi") == over_libfabric;
}

// Before any test: what cannot be done counts as skipped.
[[maybe_unused]] const bool libfabric_is_there = [] {
    if (wants(true) && !transport::ofi::Library::installed()) {
        std::puts(
            "conformance over libfabric: skipped: it is not installed (see scripts/install-dependencies)");
        std::exit(77);
    }
    return true;
}();

std::vector<Setup> setups(std::initializer_list<const char*> transports, bool with_faults)
{
    std::vector<std::string> names;
    if (wants(false))
        names.assign(transports.begin(), transports.end());
    if (wants(true))
        std::ranges::copy(kFabrics, std::back_inserter(names));
    std::vector<Setup> all;
    for (const std::string& transport : names) {
        all.push_back({transport, "plain", {}});
        const bool fabric = transport.starts_with(kOfi);
        if (!with_faults || (fabric && transport != kFabrics.front()))
            continue;
        all.push_back({transport,
                       "all of it",
                       {.seed = 6, .again = 0.3, .pending = 0.3, .idle = 0.3, .max_payload_bytes = 1000}});
        // libfabric takes its time: one of its providers meets all faults at once, and no more.
        if (fabric)
            continue;
        all.push_back({transport, "refusing", {.seed = 2, .again = 0.5}});
        all.push_back({transport, "keeping", {.seed = 3, .pending = 0.4}});
        all.push_back({transport, "idling", {.seed = 4, .idle = 0.6}});
        all.push_back({transport, "small frames", {.seed = 5, .max_payload_bytes = 96}});
    }
    return all;
}

std::unique_ptr<Transport> make_tcp(int rank, int ranks, const security::Key& key)
{
    // Small buffers: full ones are what tests are about. Smaller ones than some segments, which are of 64 KiB
    // on the loopback interface, make TCP wait for its timers.
    return std::make_unique<transport::tcp::TcpTransport>(
        transport::tcp::TcpOptions{.rank = rank,
                                   .ranks = ranks,
                                   .key = key,
                                   .host = "host" + std::to_string(rank),
                                   .interfaces = network::InterfaceChoice::parse("lo"),
                                   .timeout = std::chrono::seconds(10),
                                   .socket_buffer_bytes = 128 << 10});
}

std::unique_ptr<Transport> make_ofi(std::string provider, int rank, int ranks, const security::Key& key)
{
    const bool as_adapter = provider.ends_with(kAsAdapter);
    if (as_adapter)
        provider.resize(provider.size() - kAsAdapter.size());
    return std::make_unique<transport::ofi::OfiTransport>(
        transport::ofi::OfiOptions{.rank = rank,
                                   .ranks = ranks,
                                   .key = key,
                                   .host = "host" + std::to_string(rank),
                                   .interfaces = network::InterfaceChoice::parse("lo"),
                                   .provider = provider,
                                   .linger = std::chrono::milliseconds(0),
                                   .as_adapter = as_adapter});
}

std::vector<std::unique_ptr<Transport>> make(const std::string& name, int ranks)
{
    std::vector<std::unique_ptr<Transport>> made;
    if (name == "self") {
        made.push_back(std::make_unique<transport::SelfTransport>(0));
        return made;
    }
    const security::Key key = security::Key::random();
    const auto hub = std::make_shared<transport::InprocHub>(ranks);
    std::vector<int> local(static_cast<std::size_t>(ranks));
    std::iota(local.begin(), local.end(), 0);
    for (int rank = 0; rank < ranks; ++rank) {
        if (name == "inproc")
            made.push_back(std::make_unique<transport::InprocTransport>(hub, rank));
        else if (name == "tcp")
            made.push_back(make_tcp(rank, ranks, key));
        else if (name.starts_with(kOfi))
            made.push_back(make_ofi(name.substr(kOfi.size()), rank, ranks, key));
        else
            made.push_back(std::make_unique<transport::shm::ShmTransport>(rank, local));
    }
    return made;
}

}  // namespace

std::vector<Setup> all_setups()
{
    return setups({"self", "inproc", "shm", "tcp"}, true);
}
std::vector<Setup> setups_between_ranks()
{
    return setups({"inproc", "shm", "tcp"}, true);
}
std::vector<Setup> plain_setups()
{
    return setups({"self", "inproc", "shm", "tcp"}, false);
}

Bytes pattern(std::uint64_t number, std::size_t size, unsigned salt)
{
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::byte>(number * 131 + i * 7 + (i >> 8) + salt);
    return bytes;
}

OutFrame::OutFrame(std::uint64_t number, std::size_t header_bytes, std::size_t payload_bytes)
    : header(pattern(number, header_bytes, 1)), payload(pattern(number, payload_bytes, 101))
{
    fire = [](transport::Completion& completion, ErrorCode code) {
        auto& self = static_cast<OutFrame&>(completion);
        ++self.fired;
        self.result = code;
    };
}

void use_again(OutFrame& frame, SendResult result)
{
    frame.header.assign(frame.header.size(), std::byte{0xee});
    if (result == SendResult::done) {
        frame.payload.assign(frame.payload.size(), std::byte{0xee});
        frame.fired = 1;
    }
}

bool is_frame(const InFrame& in, std::uint64_t number, std::size_t header_bytes, std::size_t payload_bytes)
{
    return in.header == pattern(number, header_bytes, 1) && in.payload == pattern(number, payload_bytes, 101);
}

void Recorder::frame(int peer, std::span<const std::byte> header, std::span<const std::byte> payload)
{
    const auto asked = std::ranges::find(arriving_, peer, &Arriving::from);
    if (asked != arriving_.end()) {
        if (!asked->place.empty() || !std::ranges::equal(asked->header, header) ||
            asked->payload_bytes != payload.size())
            throw std::logic_error("another frame than the one that was asked about");
        arriving_.erase(asked);
    }
    take({peer, {header.begin(), header.end()}, {payload.begin(), payload.end()}});
}

std::span<std::byte> Recorder::destination(int peer, std::span<const std::byte> header,
                                           std::size_t payload_bytes)
{
    if (!in_progress || std::ranges::find(arriving_, peer, &Arriving::from) != arriving_.end())
        throw std::logic_error("asked for a place outside progress(), or before the last frame came");
    arriving_.push_back(
        {peer, {header.begin(), header.end()}, Bytes(++asked_ % 2 * payload_bytes), payload_bytes});
    return arriving_.back().place;
}

void Recorder::placed(int peer, std::span<const std::byte> header, std::size_t payload_bytes)
{
    const auto asked = std::ranges::find(arriving_, peer, &Arriving::from);
    if (asked == arriving_.end() || asked->place.size() != payload_bytes ||
        !std::ranges::equal(asked->header, header))
        throw std::logic_error("a payload was placed that nobody asked for");
    InFrame frame{peer, std::move(asked->header), std::move(asked->place)};
    arriving_.erase(asked);
    take(std::move(frame));
}

void Recorder::take(InFrame frame)
{
    if (!in_progress)
        throw std::logic_error("a frame was delivered outside progress()");
    if (std::ranges::find(lost, frame.from) != lost.end())
        throw std::logic_error("a frame of a peer that was reported as lost");
    frames.push_back(std::move(frame));
    if (on_frame)
        on_frame(InFrame(frames.back()));
}

void Recorder::peer_lost(int peer, const transport::Loss& loss)
{
    if (!in_progress)
        throw std::logic_error("a loss was told outside progress()");
    if (loss.reason.empty() || std::ranges::find(lost, peer) != lost.end())
        throw std::logic_error("a loss was told twice, or without a reason");
    lost.push_back(peer);
    if (loss.has_left)
        left.push_back(peer);
}

Bell::Bell(transport::Doorbell& doorbell)
    : doorbell_(doorbell),
      before_(doorbell.word() != nullptr ? doorbell.word()->load(std::memory_order_acquire) : 0)
{
}

bool Bell::has_rung() const
{
    if (doorbell_.word() != nullptr)
        return doorbell_.word()->load(std::memory_order_acquire) != before_;
    pollfd readable{.fd = doorbell_.wait_fd(), .events = POLLIN, .revents = 0};
    return ::poll(&readable, 1, 0) == 1;
}

// Who rang before the last arm() may wake the sleeper only after it: woken without a ring, it sleeps on.
bool Bell::sleep() const
{
    using namespace std::chrono;
    const auto deadline = steady_clock::now() + seconds(10);
    while (!has_rung()) {
        const auto left = deadline - steady_clock::now();
        if (left <= left.zero())
            return false;
        if (doorbell_.word() != nullptr) {
            base::futex_wait(*doorbell_.word(), before_, duration_cast<nanoseconds>(left).count());
        } else {
            pollfd readable{.fd = doorbell_.wait_fd(), .events = POLLIN, .revents = 0};
            ::poll(&readable, 1, static_cast<int>(ceil<milliseconds>(left).count()));
        }
    }
    return true;
}

Ranks::Ranks(const Setup& setup, int ranks, bool connected)
    : is_self_(setup.transport == "self"),
      transports_(make(setup.transport, ranks)),
      sinks_(transports_.size())
{
    const auto await_connections = [&]<class Made>(const Made*) {
        for (int rank = 0; rank < ranks; ++rank) {
            for (int peer = 0; peer < ranks; ++peer) {
                if (peer != rank)
                    connections_.emplace_back([made = static_cast<const Made*>(&at(rank)), peer] {
                        return made->is_connected(peer);
                    });
            }
        }
    };
    if (setup.transport == "tcp")
        await_connections(static_cast<const transport::tcp::TcpTransport*>(nullptr));
    else if (setup.transport.starts_with(kOfi))
        await_connections(static_cast<const transport::ofi::OfiTransport*>(nullptr));
    if (!setup.plain()) {
        for (auto& transport : transports_)
            transport = std::make_unique<transport::FaultTransport>(std::move(transport), setup.options);
    }
    if (!connected)
        return;
    for (auto& transport : transports_) {
        for (std::size_t peer = 0; peer < transports_.size(); ++peer) {
            if (is_self_ || transport != transports_[peer])
                transport->connect(static_cast<int>(peer), transports_[peer]->address());
        }
    }
    // Connections come about in progress(): tests begin when they stand.
    const auto stand = [&] {
        return std::ranges::all_of(connections_, [](const auto& connection) { return connection(); });
    };
    for (int pass = 0; !stand(); ++pass) {
        if (pass == 100'000)
            throw std::runtime_error("connections never stand");
        for (int rank = 0; rank < ranks; ++rank)
            progress(rank);
    }
    // Both have dialled, and the other connection ends. Links of libfabric's ranks are looked at now and then
    // only.
    constexpr std::chrono::milliseconds kQuiet{2};
    constexpr int kQuietPasses = 100;
    auto last_event = std::chrono::steady_clock::now();
    for (int passes = 0; setup.plain() && !is_self_ &&
                         (passes < kQuietPasses || std::chrono::steady_clock::now() - last_event < kQuiet);
         ++passes) {
        for (int rank = 0; rank < ranks; ++rank) {
            if (progress(rank) != 0) {
                last_event = std::chrono::steady_clock::now();
                passes = 0;
            }
        }
    }
}

Ranks::~Ranks()
{
    for (auto& transport : transports_)
        transport->close();
}

std::size_t Ranks::progress(int index)
{
    Recorder& recorder = sink(index);
    recorder.in_progress = true;
    const std::size_t events = at(index).progress(recorder);
    recorder.in_progress = false;
    return events;
}

SendResult Ranks::send(int from, int to, OutFrame& frame)
{
    for (int attempt = 0; attempt < 100'000; ++attempt) {
        const SendResult result = at(from).send(rank(to), frame.header, frame.payload, frame);
        if (result != SendResult::again)
            return result;
        progress(from);
        progress(to);
    }
    throw std::runtime_error("a transport answers `again` for ever");
}

void Ranks::settle()
{
    for (int i = 0; i < 100; ++i) {
        progress(0);
        progress(1);
    }
}

bool Ranks::deliver(int index, std::size_t count)
{
    for (int pass = 0; pass < 100'000 && sink(index).frames.size() < count; ++pass) {
        for (std::size_t i = 0; i < transports_.size(); ++i)
            progress(static_cast<int>(i));
    }
    return sink(index).frames.size() >= count;
}

}  // namespace tutti::test
