#include "transports/ofi/ofi_transport.hpp"

#include <fmt/format.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lib/foundation/base/clock.hpp"
#include "lib/foundation/base/open_files.hpp"
#include "transports/ofi/fabric_capabilities.hpp"

namespace tutti::transport::ofi {

namespace {

// The payload of one frame. Below 16 KiB with all heads, layered providers send without asking the receiver
// first.
constexpr std::size_t kPayloadBytes = 64u << 10;
constexpr std::size_t kLayeredPayloadBytes = 16'256;
constexpr std::size_t kReceiveBuffers = 128;
constexpr std::size_t kMostOutsiders = 256;

MemoryModes modes_of(const Endpoint& endpoint, const OfiOptions& options)
{
    MemoryModes modes(endpoint.info());
    modes.local = modes.local || options.as_adapter;
    return modes;
}

std::size_t payload_bytes(const fi_info& info)
{
    const bool layered = std::string_view(info.fabric_attr->prov_name).find(';') != std::string_view::npos;
    return layered ? kLayeredPayloadBytes : kPayloadBytes;
}

}  // namespace

OfiTransport::OfiTransport(OfiOptions options)
    : options_(std::move(options)),
      addresses_(options_.interfaces.choose(network::local_addresses(), options_.host)),
      timeout_ns_(std::chrono::nanoseconds(options_.timeout).count()),
      endpoint_(choose_provider(
          {.name = options_.provider, .adapter = options_.adapter, .basic_memory = options_.as_adapter},
          addresses_)),
      modes_(modes_of(endpoint_, options_)),
      links_(options_.key, options_.rank, timeout_ns_,
             {.ranks = options_.ranks,
              .host = options_.host,
              .addresses = addresses_,
              .most_outsiders = kMostOutsiders + 2 * static_cast<std::size_t>(options_.ranks)},
             *this),
      frame_registrar_(endpoint_, FI_SEND | FI_RECV),
      max_payload_bytes_(payload_bytes(endpoint_.info())),
      receive_buffers_(FabricOperation::Kind::receive, frame_bytes(),
                       modes_.local ? &frame_registrar_ : nullptr),
      send_buffers_(FabricOperation::Kind::send, frame_bytes(), modes_.local ? &frame_registrar_ : nullptr),
      peers_(options_.ranks),
      memory_(endpoint_, modes_, peers_, send_buffers_, max_payload_bytes_,
              options_.remote_memory && reports_delivery(endpoint_.info()))
{
    // One link for each rank, one more while both dial, and the provider's own connection.
    base::allow_open_files(3 * static_cast<std::size_t>(options_.ranks) + 256);
    const fi_info& info = endpoint_.info();
    if (info.ep_attr->max_msg_size < frame_bytes())
        throw Error(ErrorCode::not_supported, "fabric",
                    fmt::format("libfabric's provider {} carries {} bytes at a time, Tutti needs {}",
                                info.fabric_attr->prov_name, info.ep_attr->max_msg_size, frame_bytes()));
    contact_ = {links_.contact(), info.fabric_attr->prov_name, info.fabric_attr->prov_version,
                info.addr_format, info.ep_attr->protocol,      info.ep_attr->protocol_version,
                endpoint_.name()};
    if (endpoint_.wait_fd() >= 0)
        links_.watch_fabric(endpoint_.wait_fd());
    const std::size_t buffers = std::min(kReceiveBuffers, info.rx_attr->size);
    for (std::size_t i = 0; i < buffers; ++i)
        unposted_.push_back(&receive_buffers_.take());
    post_receives();
}

bool OfiTransport::is_connected(int rank) const noexcept
{
    const Peer* const with = peers_.find(static_cast<std::size_t>(rank));
    return with != nullptr && with->may_send();
}

std::string OfiTransport::describe() const
{
    return fmt::format("{} over {}", contact_.speaks(), endpoint_.info().domain_attr->name);
}

Capabilities OfiTransport::capabilities() const noexcept
{
    return capabilities_of(max_payload_bytes_, modes_.local);
}

bool OfiTransport::reach(int rank, std::span<const std::byte> bytes) const noexcept
{
    try {
        const auto contact = FabricContact::parse(bytes);
        return contact && rank >= 0 && rank < options_.ranks && contact->rank == rank &&
               contact->speaks_with(contact_);
    } catch (const std::exception&) {
        return false;  // no memory for it
    }
}

std::string OfiTransport::unreachable(std::span<const std::byte> bytes) const
{
    const auto contact = FabricContact::parse(bytes);
    if (!contact)
        return "its contact for libfabric is of another version of Tutti, or of another architecture";
    if (contact->speaks_with(contact_))
        return {};
    return fmt::format(
        "{} uses libfabric's {}, {} uses {}: install the same libfabric on both, or name a "
        "provider that both have with TUTTI_FABRIC=ofi:PROVIDER",
        options_.host, contact_.speaks(), contact->host, contact->speaks());
}

void OfiTransport::connect(int rank, std::span<const std::byte> bytes)
{
    const auto contact = FabricContact::parse(bytes);
    if (!contact || !contact->speaks_with(contact_))
        throw Error(ErrorCode::protocol, "connect", unreachable(bytes), rank);
    Peer& to = peers_.make(rank);
    to.host = contact->host;
    to.endpoint_place = contact->endpoint_place();
    if (to.address == FI_ADDR_UNSPEC)
        to.address = endpoint_.insert(contact->endpoint);
    links_.connect(rank, *contact);
}

SendResult OfiTransport::send(int rank, std::span<const std::byte> header, std::span<const std::byte> payload,
                              Completion&)
{
    Peer& to = peers_.at(rank);
    if (to.state >= Peer::State::departed || closed_) [[unlikely]] {
        if (to.state == Peer::State::departed)
            lose(rank, {fmt::format("it has left the job ({})", to.place()), true});
        return SendResult::done;
    }
    if (!to.may_send() || to.sent - to.acknowledged >= kWindow) [[unlikely]]
        return SendResult::again;
    const FrameHead head{.token = *to.send_token,
                         .source = static_cast<std::uint32_t>(options_.rank),
                         .number = to.sent,
                         .acknowledged = to.incoming.received(),
                         .header_bytes = static_cast<std::uint16_t>(header.size()),
                         .zero = 0};
    if (!send_frame(to, head, header, payload, rank))
        return SendResult::again;
    ++to.sent;
    return SendResult::done;
}

// False: the fabric takes nothing now. An error means that the peer is lost.
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
                to.reported = head.acknowledged;
            else if (!to.refused)
                lose_by_fabric(rank, Library::get().describe(result));
            return !to.refused;
        }
    }
    FrameBuffer& buffer = send_buffers_.take();
    buffer.peer = rank;
    const std::size_t bytes = Frame::write(buffer.memory.data(), head, header, payload);
    result = endpoint_.send(to.address, buffer.memory.first(bytes), buffer.descriptor, buffer);
    to.refused = result == -FI_EAGAIN;
    if (result == 0) {
        to.reported = head.acknowledged;
        return true;
    }
    send_buffers_.give_back(buffer);
    if (!to.refused)
        lose_by_fabric(rank, Library::get().describe(result));
    return !to.refused;
}

}  // namespace tutti::transport::ofi
