// What a daemon is told on its standard input when it is started: who it is, whom to connect to, and the
// secret by which it proves that it was started for this job.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/foundation/security/handshake.hpp"
#include "lib/foundation/security/key.hpp"

namespace tutti::launcher {

/// Names the conversation between daemons to the handshake. It changes only if the hello frame does: releases
/// with different frames tell each other apart by their hellos.
inline constexpr std::uint32_t kDaemonProtocol = 0x74640001;

struct DaemonRecord {
    security::Key key;
    security::Identity parent;           // the head, or the daemon that starts this one
    std::vector<std::string> addresses;  // of the parent, numeric, best first
    std::uint16_t port = 0;
    int node = -1;                     // -1: nodes_by_name has it
    std::map<std::string, int> nodes;  // by name, where one record goes to several hosts
};

/// One line, with its end.
std::string encode(const DaemonRecord& record);
/// Throws std::runtime_error when the line is none of encode()'s.
DaemonRecord decode_daemon_record(std::string_view line);

}  // namespace tutti::launcher
