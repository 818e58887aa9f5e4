#include "launcher/info/explain_send.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "collectives/choice/parse_bytes.hpp"
#include "lib/engine/protocol/options_from_settings.hpp"
#include "transports/ofi/fabric_capabilities.hpp"
#include "transports/shm/capabilities.hpp"
#include "transports/tcp/tcp_capabilities.hpp"

namespace tutti::info {

using protocol::MessageProtocol;
using protocol::MessageTraits;
using protocol::PeerTraits;

namespace {

using Place = MessageTraits::Place;

std::string protocol_of(const protocol::ProtocolChoice& choice)
{
    const std::string name(name_of(choice.protocol));
    return choice.learned ? fmt::format("{} or {}", name, name_of(MessageProtocol::stream)) : name;
}

}  // namespace

std::vector<ExplainedSend> explain_send(std::size_t bytes, int ranks, int nodes, bool crowded)
{
    const protocol::ProtocolOptions options = protocol::options_from_settings(ranks, crowded);
    const auto ranks_of_node = static_cast<std::size_t>((ranks + nodes - 1) / nodes);
    const PeerTraits node =
        PeerTraits::of(transport::shm::capabilities_of(ranks_of_node), true, true, options);
    const PeerTraits tcp = PeerTraits::of(transport::tcp::kCapabilities, false, false, options);
    const PeerTraits adapter =
        PeerTraits::of(transport::ofi::capabilities_of(64u << 10, true), true, false, options);
    std::vector<ExplainedSend> sends;
    const auto add = [&](std::string_view transport, std::string_view message, const PeerTraits& to,
                         const MessageTraits& traits) {
        sends.push_back({transport, message, choose_protocol(traits, to)});
    };
    for (const auto& [name, to] : {std::pair("shm", &node), std::pair("tcp", &tcp), std::pair("ofi", &adapter)}) {
        add(name, "any memory", *to, {.bytes = bytes});
        if (to->maps_memory)
            add(name, "memory that both map", *to, {.bytes = bytes, .place = Place::mapped});
        add(name, "a layout", *to, {.bytes = bytes, .place = Place::collected});
        add(name, "synchronous", *to, {.bytes = bytes, .synchronous = true});
    }
    return sends;
}

std::string as_text(std::size_t bytes, const std::vector<ExplainedSend>& sends)
{
    std::string text = fmt::format("a message of {}\n", collectives::in_bytes(bytes));
    bool learned = false;
    bool injected = false;
    for (const ExplainedSend& one : sends) {
        text += fmt::format("  {:<4} {:<21} {:<15} {}\n", one.transport, one.message, protocol_of(one.choice),
                            one.choice.because);
        learned = learned || one.choice.learned;
        injected = injected || one.choice.protocol == MessageProtocol::inject;
    }
    if (injected)
        text += "  inject: but the first message to a rank, which connects the two, goes eagerly\n";
    if (learned)
        text += "  pull or stream: both are tried for the first messages of such a size, and the faster one is kept\n"
                "  (the other is tried again now and then)\n";
    text += "  memory that both map: of tutti::allocate, of malloc with tuttirun --heap on, of collectives\n";
    return text;
}

std::string as_json(std::size_t bytes, const std::vector<ExplainedSend>& sends)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ExplainedSend& one : sends) {
        nlohmann::ordered_json entry{{"transport", one.transport},
                                     {"message", one.message},
                                     {"protocol", name_of(one.choice.protocol)},
                                     {"or", nullptr},
                                     {"because", one.choice.because}};
        if (one.choice.learned)
            entry["or"] = name_of(MessageProtocol::stream);
        list.push_back(std::move(entry));
    }
    return nlohmann::ordered_json{{"bytes", bytes}, {"sends", std::move(list)}}.dump(2) + "\n";
}

}  // namespace tutti::info
