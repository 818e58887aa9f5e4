// Which protocol a message takes, over each transport and out of each kind of memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/engine/protocol/choose_protocol.hpp"

namespace tutti::info {

struct ExplainedSend {
    std::string_view transport;  // "shm", "tcp" or "ofi"
    std::string_view message;    // "any memory", "memory that both map", "a layout", "synchronous"
    protocol::ProtocolChoice choice;
};

/// With the limits that are set. `crowded`: there are more ranks than cores.
std::vector<ExplainedSend> explain_send(std::size_t bytes, int ranks, int nodes, bool crowded);

std::string as_text(std::size_t bytes, const std::vector<ExplainedSend>& sends);
std::string as_json(std::size_t bytes, const std::vector<ExplainedSend>& sends);

}  // namespace tutti::info
