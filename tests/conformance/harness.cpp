#include "tests/conformance/harness.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "transports/inproc/inproc_transport.hpp"
#include "transports/self/self_transport.hpp"
#include "transports/shm/shm_transport.hpp"

namespace tutti::test {

namespace {

std::vector<Setup> setups(std::initializer_list<const char*> transports, bool with_faults)
{
    std::vector<Setup> all;
    for (const char* transport : transports) {
        all.push_back({transport, "plain", {}});
        if (!with_faults)
            continue;
        all.push_back({transport, "refusing", {.seed = 2, .again = 0.5}});
        all.push_back({transport, "keeping", {.seed = 3, .pending = 0.4}});
        all.push_back({transport, "idling", {.seed = 4, .idle = 0.6}});
        all.push_back({transport, "small frames", {.seed = 5, .max_payload_bytes = 96}});
        all.push_back({transport,
                       "all of it",
                       {.seed = 6, .again = 0.3, .pending = 0.3, .idle = 0.3, .max_payload_bytes = 1000}});
    }
    return all;
}

std::vector<std::unique_ptr<Transport>> make(const std::string& name, int ranks)
{
    std::vector<std::unique_ptr<Transport>> made;
    if (name == "self") {
        made.push_back(std::make_unique<transport::SelfTransport>(0));
        return made;
    }
    const auto hub = std::make_shared<transport::InprocHub>(ranks);
    std::vector<int> local(static_cast<std::size_t>(ranks));
    std::iota(local.begin(), local.end(), 0);
    for (int rank = 0; rank < ranks; ++rank) {
        if (name == "inproc")
            made.push_back(std::make_unique<transport::InprocTransport>(hub, rank));
        else
            made.push_back(std::make_unique<transport::shm::ShmTransport>(rank, local));
    }
    return made;
}

}  // namespace

std::vector<Setup> all_setups()
{
    return setups({"self", "inproc", "shm"}, true);
}
std::vector<Setup> setups_between_ranks()
{
    return setups({"inproc", "shm"}, true);
}
std::vector<Setup> plain_setups()
{
    return setups({"self", "inproc", "shm"}, false);
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

bool is_frame(const InFrame& in, std::uint64_t number, std::size_t header_bytes, std::size_t payload_bytes)
{
    return in.header == pattern(number, header_bytes, 1) && in.payload == pattern(number, payload_bytes, 101);
}

void Recorder::frame(int peer, std::span<const std::byte> header, std::span<const std::byte> payload)
{
    if (!in_progress)
        throw std::logic_error("a frame was delivered outside progress()");
    if (std::ranges::find(lost, peer) != lost.end())
        throw std::logic_error("a frame of a peer that was reported as lost");
    frames.push_back({peer, {header.begin(), header.end()}, {payload.begin(), payload.end()}});
    if (on_frame)
        on_frame(InFrame(frames.back()));
}

void Recorder::peer_lost(int peer, std::string_view reason)
{
    if (!in_progress)
        throw std::logic_error("a loss was told outside progress()");
    if (reason.empty() || std::ranges::find(lost, peer) != lost.end())
        throw std::logic_error("a loss was told twice, or without a reason");
    lost.push_back(peer);
}

Ranks::Ranks(const Setup& setup, int ranks)
    : is_self_(setup.transport == "self"),
      transports_(make(setup.transport, ranks)),
      sinks_(transports_.size())
{
    if (!setup.plain()) {
        for (auto& transport : transports_)
            transport = std::make_unique<transport::FaultTransport>(std::move(transport), setup.options);
    }
    for (auto& transport : transports_) {
        for (std::size_t peer = 0; peer < transports_.size(); ++peer) {
            if (is_self_ || transport != transports_[peer])
                transport->connect(static_cast<int>(peer), transports_[peer]->address());
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

bool Ranks::deliver(int index, std::size_t count)
{
    for (int pass = 0; pass < 100'000 && sink(index).frames.size() < count; ++pass) {
        for (std::size_t i = 0; i < transports_.size(); ++i)
            progress(static_cast<int>(i));
    }
    return sink(index).frames.size() >= count;
}

}  // namespace tutti::test
