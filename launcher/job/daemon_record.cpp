#include "launcher/job/daemon_record.hpp"

#include <optional>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace tutti::launcher {

using nlohmann::ordered_json;

std::string encode(const DaemonRecord& record)
{
    const ordered_json line = {{"key", record.key.to_hex()},
                       {"parent_kind", static_cast<std::uint32_t>(record.parent.kind)},
                       {"parent_number", record.parent.number},
                       {"addresses", record.addresses},
                       {"port", record.port},
                       {"node", record.node},
                       {"nodes", record.nodes}};
    return line.dump() + "\n";
}

DaemonRecord decode_daemon_record(std::string_view line)
{
    try {
        const ordered_json values = ordered_json::parse(line);
        const std::optional<security::Key> key =
            security::Key::from_hex(values.at("key").get_ref<const std::string&>());
        if (!key)
            throw std::runtime_error("its key is none");
        DaemonRecord record{*key, {}, {}, 0, -1, {}};
        record.parent.kind =
            static_cast<security::Identity::Kind>(values.at("parent_kind").get<std::uint32_t>());
        record.parent.number = values.at("parent_number").get<std::uint32_t>();
        values.at("addresses").get_to(record.addresses);
        values.at("port").get_to(record.port);
        values.at("node").get_to(record.node);
        values.at("nodes").get_to(record.nodes);
        return record;
    } catch (const std::exception&) {
        // The parser's text is left out: it quotes the line, which has the key.
        throw std::runtime_error(
            "what stands on the standard input is no record for a daemon; tuttirun --daemon is "
            "started by tuttirun on another host, not by hand");
    }
}

}  // namespace tutti::launcher
