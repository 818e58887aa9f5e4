#include "transports/ofi/ofi_transport.hpp"

#include <fmt/format.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lib/base/clock.hpp"
#include "lib/base/open_files.hpp"

namespace tutti::transport::ofi {

namespace {

// With head and header just below 16 KiB, what layered providers send without asking the receiver first.
constexpr std::size_t kPayloadBytes = 16'256;
constexpr std::size_t kFrameBytes = sizeof(FrameHead) + kMaxHeaderBytes + kPayloadBytes;
constexpr std::size_t kReceiveBuffers = 128;
constexpr std::size_t kMostIdleRegistrations = 1024;
// Times that one pass asks the fabric, at up to 16 events: others want their turn.
constexpr int kPollsAPass = 4;
// Links say little: the kernel is asked for them so often at most.
constexpr std::int64_t kLookNs = 50'000;
constexpr std::size_t kMostStrangers = 256;

// What an adapter must hold down in memory, and what may be a list of addresses.
std::size_t most_idle(const MemoryModes& modes)
{
    return modes.pins_pages ? 0 : kMostIdleRegistrations;
}

std::int64_t nanoseconds(std::chrono::milliseconds time)
{
    return std::chrono::nanoseconds(time).count();
}

}  // namespace

OfiTransport::OfiTransport(OfiOptions options)
    : options_(std::move(options)),
      addresses_(options_.interfaces.choose(network::local_addresses(), options_.host)),
      link_settings_{options_.key, options_.rank, nanoseconds(options_.timeout)},
      endpoint_(choose_provider(options_.provider, addresses_)),
      modes_(endpoint_.info()),
      links_(link_settings_, addresses_, kMostStrangers + 2 * static_cast<std::size_t>(options_.ranks),
             *this),
      frame_registrar_(endpoint_, FI_SEND | FI_RECV),
      lending_registrar_(endpoint_, FI_REMOTE_READ),
      landing_registrar_(endpoint_, FI_READ),
      lent_(lending_registrar_, most_idle(modes_)),
      landings_(landing_registrar_, most_idle(modes_)),
      receive_buffers_(Operation::Kind::receive, kFrameBytes,
                       modes_.local || options_.register_all ? &frame_registrar_ : nullptr),
      send_buffers_(Operation::Kind::send, kFrameBytes,
                    modes_.local || options_.register_all ? &frame_registrar_ : nullptr),
      reads_(endpoint_, modes_.local || options_.register_all ? &landings_ : nullptr),
      peers_(static_cast<std::size_t>(options_.ranks))
{
    // Two links a rank, and the provider's own connection.
    base::allow_open_files(3 * static_cast<std::size_t>(options_.ranks) + 256);
    const fi_info& info = endpoint_.info();
    if (info.ep_attr->max_msg_size < kFrameBytes)
        throw Error(ErrorCode::not_supported, "fabric",
                    fmt::format("libfabric's provider {} carries {} bytes at a time, Tutti needs {}",
                                info.fabric_attr->prov_name, info.ep_attr->max_msg_size, kFrameBytes));
    card_ = {.rank = static_cast<std::uint32_t>(options_.rank),
             .host = options_.host,
             .provider = info.fabric_attr->prov_name,
             .provider_version = info.fabric_attr->prov_version,
             .address_format = info.addr_format,
             .protocol = info.ep_attr->protocol,
             .protocol_version = info.ep_attr->protocol_version,
             .endpoint = endpoint_.name(),
             .doors = links_.doors()};
    if (endpoint_.wait_fd() >= 0)
        links_.watch_fabric(endpoint_.wait_fd());
    const std::size_t buffers = std::min(kReceiveBuffers, info.rx_attr->size);
    for (std::size_t i = 0; i < buffers; ++i)
        unposted_.push_back(&receive_buffers_.take());
    post_receives();
}

bool OfiTransport::is_connected(int rank) const noexcept
{
    const auto& with = peers_[static_cast<std::size_t>(rank)];
    return with != nullptr && with->may_send();
}

std::string OfiTransport::describe() const
{
    return fmt::format("{} over {}", card_.speaks(), endpoint_.info().domain_attr->name);
}

Capabilities OfiTransport::capabilities() const noexcept
{
    return {.max_payload_bytes = kPayloadBytes,
            .inject_below = kPayloadBytes + 1,
            .remote_get = (endpoint_.info().caps & FI_RMA) != 0,
            .eager_limit_bytes = 4 * kPayloadBytes,
            .latency_ns = 5000,
            .bytes_per_ns = 8};
}

bool OfiTransport::reach(int rank, std::span<const std::byte> bytes) const noexcept
{
    try {
        const auto card = Card::parse(bytes);
        return card && rank >= 0 && rank < options_.ranks && card->rank == static_cast<std::uint32_t>(rank) &&
               card->speaks_with(card_);
    } catch (const std::exception&) {
        return false;  // no memory for it
    }
}

std::string OfiTransport::unreachable(std::span<const std::byte> bytes) const
{
    const auto card = Card::parse(bytes);
    if (!card)
        return "its card for libfabric is of another version of Tutti, or of another architecture";
    if (card->speaks_with(card_))
        return {};
    return fmt::format(
        "{} uses libfabric's {}, {} uses {}: install the same libfabric on both, or name a "
        "provider that both have with TUTTI_FABRIC=ofi:PROVIDER",
        options_.host, card_.speaks(), card->host, card->speaks());
}

void OfiTransport::connect(int rank, std::span<const std::byte> bytes)
{
    const auto card = Card::parse(bytes);
    if (!card || !card->speaks_with(card_))
        throw Error(ErrorCode::protocol, "connect", unreachable(bytes), rank);
    Peer& to = make_peer(rank);
    to.host = card->host;
    if (to.address == FI_ADDR_UNSPEC)
        to.address = endpoint_.insert(card->endpoint);
    if (to.link() != nullptr || to.dialed != nullptr || to.fate != Peer::Fate::living)
        return;
    std::vector<network::HostAddress> theirs;
    for (const Door& door : card->doors)
        theirs.push_back(door.at);
    std::vector<Way> ways;
    for (network::Candidate& candidate : network::candidates(addresses_, theirs)) {
        const auto door = std::ranges::find(card->doors, candidate.to, &Door::at);
        ways.push_back({std::move(candidate), door->port});
    }
    if (ways.empty())
        throw Error(
            ErrorCode::not_supported, "connect",
            fmt::format("rank {} on {} has the addresses {}, this host {} has {}: no two of them "
                        "belong together; choose others with TUTTI_INTERFACE",
                        rank, card->host, network::describe(std::span<const network::HostAddress>(theirs)),
                        options_.host, network::describe(std::span<const network::LocalAddress>(addresses_))),
            rank);
    to.dialed = &links_.dial(rank, std::move(ways));
}

SendResult OfiTransport::send(int rank, std::span<const std::byte> header, std::span<const std::byte> payload,
                              Completion&)
{
    Peer& to = peer(rank);
    if (to.fate >= Peer::Fate::departed || closed_) [[unlikely]] {
        if (to.fate == Peer::Fate::departed)
            lose(rank, "it has left the job");
        return SendResult::done;
    }
    if (!to.may_send() || to.sent - to.acknowledged >= kWindow) [[unlikely]]
        return SendResult::again;
    const FrameHead head{.token = *to.send_token,
                         .source = card_.rank,
                         .number = to.sent,
                         .acknowledged = to.incoming.received(),
                         .header_bytes = static_cast<std::uint16_t>(header.size()),
                         .zero = 0};
    if (!send_frame(to, head, header, payload, rank))
        return SendResult::again;
    ++to.sent;
    return SendResult::done;
}

// False: the fabric takes nothing now. An error is the peer's end.
bool OfiTransport::send_frame(Peer& to, const FrameHead& head, std::span<const std::byte> header,
                              std::span<const std::byte> payload, int rank)
{
    long result = 0;
    if (sizeof head + header.size() + payload.size() <= endpoint_.inject_bytes()) {
        std::array<std::byte, 4096> frame;
        if (sizeof head + header.size() + payload.size() <= frame.size()) {
            const std::size_t bytes = Frame::write(frame.data(), head, header, payload);
            result = endpoint_.inject(to.address, std::span(frame).first(bytes));
            to.refused = result == -FI_EAGAIN;
            if (result == 0)
                to.told = head.acknowledged;
            else if (!to.refused)
                lose(rank, Library::get().describe(result));
            return !to.refused;
        }
    }
    Buffer& buffer = send_buffers_.take();
    buffer.peer = rank;
    const std::size_t bytes = Frame::write(buffer.memory.data(), head, header, payload);
    result = endpoint_.send(to.address, buffer.memory.first(bytes), buffer.descriptor, buffer);
    to.refused = result == -FI_EAGAIN;
    if (result == 0) {
        to.told = head.acknowledged;
        return true;
    }
    send_buffers_.give_back(buffer);
    if (!to.refused)
        lose(rank, Library::get().describe(result));
    return !to.refused;
}

bool OfiTransport::lend(std::span<const std::byte> data, RemoteRegion& region)
{
    if ((endpoint_.info().caps & FI_RMA) == 0 || closed_)
        return false;
    RegistrationCache::Entry* const entry = lent_.acquire(data);
    if (entry == nullptr)
        return false;
    region.key = entry->registration.key;
    region.address = reinterpret_cast<std::uintptr_t>(data.data());
    if (!modes_.virtual_addresses)
        region.address -= entry->begin;
    lent_by_key_[region.key] = entry;
    return true;
}

void OfiTransport::take_back(const RemoteRegion& region) noexcept
{
    const auto found = lent_by_key_.find(region.key);
    if (found == lent_by_key_.end())
        return;  // closed
    RegistrationCache::Entry& entry = *found->second;
    if (entry.users == 1)
        lent_by_key_.erase(found);
    lent_.release(entry);
}

SendResult OfiTransport::get(int rank, RemoteRegion remote, std::span<std::byte> local,
                             Completion& completion)
{
    Peer& from = peer(rank);
    if (from.fate != Peer::Fate::living || closed_)
        throw Error(ErrorCode::peer_lost, "get", from.reason.empty() ? "it has left the job" : from.reason,
                    rank);
    if (!reads_.add(rank, remote, local, completion))
        throw Error(ErrorCode::out_of_memory, "get",
                    "the memory to read into cannot be registered; raise the limit of locked memory "
                    "(ulimit -l)",
                    rank);
    reads_.post([this](int of) { return peer(of).may_send() ? peer(of).address : FI_ADDR_UNSPEC; });
    return SendResult::pending;
}

void OfiTransport::post_receives()
{
    while (!unposted_.empty()) {
        Buffer& buffer = *unposted_.front();
        const long result = endpoint_.receive(buffer.memory, buffer.descriptor, buffer);
        if (result == -FI_EAGAIN)
            return;
        if (result != 0)
            throw Error(ErrorCode::system, "progress",
                        fmt::format("libfabric's provider {} takes no buffer to receive into: {}",
                                    card_.provider, Library::get().describe(result)));
        unposted_.pop_front();
    }
}

std::size_t OfiTransport::progress(Sink& sink)
{
    if (closed_)
        return 0;
    const std::int64_t now = base::now_ns();
    std::size_t events = 0;
    // Before the fabric: what it does later, it tells the next sleeper of.
    if (armed_ || now - looked_ns_ >= kLookNs) {
        looked_ns_ = now;
        events += links_.look();
        be_patient(now);
    }
    events += poll_fabric(sink);
    reads_.post([this](int of) { return peer(of).may_send() ? peer(of).address : FI_ADDR_UNSPEC; });
    events += reads_.finish();
    if (!to_tell_.empty())
        tell_everybody();
    if (quiet_ && !(losses_.empty() && leavers_.empty())) [[unlikely]] {
        see_off_leavers();
        events += report_losses(sink);
    }
    if (armed_ && events == 0) {
        // Some providers notice only here that there is more.
        const bool unsure = !quiet_ || (endpoint_.wait_fd() >= 0 && !endpoint_.may_sleep());
        unsure_ = unsure ? unsure_ + 1 : 0;
        links_.wake_at(sleep_until(now));
        return unsure && unsure_ < 3;
    }
    return events;
}

std::size_t OfiTransport::poll_fabric(Sink& sink)
{
    std::size_t frames = 0;
    quiet_ = false;
    for (int polls = 0; polls < kPollsAPass && !quiet_; ++polls) {
        std::array<Completed, 16> completed;
        const int count = endpoint_.poll(completed);
        if (count < 0)
            failed(endpoint_.failed());
        for (int i = 0; i < count; ++i)
            ended(completed[static_cast<std::size_t>(i)], sink, frames);
        quiet_ = count == 0;
        if (!unposted_.empty())
            post_receives();
    }
    return frames;
}

void OfiTransport::ended(const Completed& completed, Sink& sink, std::size_t& frames)
{
    Operation& operation = *completed.operation;
    switch (operation.kind) {
        case Operation::Kind::receive: {
            auto& buffer = static_cast<Buffer&>(operation);
            unposted_.push_back(&buffer);  // posted after this pass, also when the sink throws
            on_frame(buffer.memory.first(std::min(completed.bytes, buffer.memory.size())), sink, frames);
            return;
        }
        case Operation::Kind::send:
            return send_buffers_.give_back(static_cast<Buffer&>(operation));
        case Operation::Kind::read: {
            const int rank = reads_.peer_of(operation);
            peer(rank).owed_since_ns = 0;
            return reads_.chunk_ended(operation, ErrorCode::success);
        }
    }
}

void OfiTransport::failed(const FailedOperation& failure)
{
    if (failure.operation == nullptr)
        return;
    switch (failure.operation->kind) {
        case Operation::Kind::receive:
            // A message too long for any frame, or cut off with its connection: nobody's that we know.
            unposted_.push_back(static_cast<Buffer*>(failure.operation));
            if (failure.code == FI_ETRUNC)
                stranger("a message through the fabric that is too long for a frame");
            return;
        case Operation::Kind::send: {
            auto& buffer = static_cast<Buffer&>(*failure.operation);
            send_buffers_.give_back(buffer);
            return lose(buffer.peer, failure.words);
        }
        case Operation::Kind::read: {
            // What the peer no longer lends is an error of this read alone; its link tells whether it lives.
            const int rank = reads_.peer_of(*failure.operation);
            const bool gone = peer(rank).fate != Peer::Fate::living;
            return reads_.chunk_ended(*failure.operation, gone ? ErrorCode::peer_lost : ErrorCode::system);
        }
    }
}

void OfiTransport::on_frame(std::span<const std::byte> bytes, Sink& sink, std::size_t& frames)
{
    const auto frame = Frame::parse(bytes);
    Peer* const from =
        frame && frame->head.source < peers_.size() ? peers_[frame->head.source].get() : nullptr;
    if (from == nullptr || !from->knows(frame->head.token)) {
        stranger(fmt::format("{} bytes through the fabric that carry no token of this job", bytes.size()));
        return;
    }
    if (from->fate == Peer::Fate::reported)
        return;
    const int rank = static_cast<int>(frame->head.source);
    acknowledge(*from, frame->head.acknowledged);
    if (frame->head.header_bytes == kAcknowledgement)
        return;
    switch (from->incoming.take(frame->head.number, bytes)) {
        case ReorderQueue::Order::next:
            deliver(rank, *frame, sink, frames);
            break;
        case ReorderQueue::Order::early:
            return;
        case ReorderQueue::Order::absurd:
            stranger(fmt::format("a frame that says to be number {} of rank {}, of which {} have come",
                                 frame->head.number, rank, from->incoming.received()));
            return;
    }
    while (!from->incoming.none_early()) {
        const std::vector<std::byte> early = from->incoming.ready();
        if (early.empty())
            break;
        deliver(rank, *Frame::parse(early), sink, frames);
    }
    if (from->incoming.received() - from->told >= kWindow / 2)
        to_tell_.push_back(rank);
}

void OfiTransport::deliver(int rank, const Frame& frame, Sink& sink, std::size_t& frames)
{
    ++frames;
    sink.frame(rank, frame.header, frame.payload);
}

}  // namespace tutti::transport::ofi
