// The record that a daemon reads from its standard input: who it is, to which addresses it connects, and
// the job's key, by which it proves that it belongs to the job.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/foundation/security/handshake.hpp"
#include "lib/foundation/security/key.hpp"

namespace tutti::launcher {

/// The handshake's number for the protocol of daemons. It changes only with the hello frame: releases with
/// other frames recognise each other by their hellos.
inline constexpr std::uint32_t kDaemonProtocol = 0x74640001;

struct DaemonRecord {
    security::Key key;
    security::Identity parent;           // the head, or the daemon that starts this one
    std::vector<std::string> addresses;  // of the parent, numeric, best first
    std::uint16_t port = 0;
    int node = -1;                     // -1: it is in `nodes`
    std::map<std::string, int> nodes;  // by name, where several hosts get one record
};

/// One line, with its end.
std::string encode(const DaemonRecord& record);
/// Throws std::runtime_error for a line that encode() does not give.
DaemonRecord decode_daemon_record(std::string_view line);

}  // namespace tutti::launcher
