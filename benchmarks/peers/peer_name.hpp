// How the command line names a peer: openmpi, openmpi:tuned, /opt/mpich-5, openmpi:/opt/openmpi-5:tuned.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/peers/run_program.hpp"

namespace tutti::bench {

struct PeerName {
    std::string library{};         // "openmpi", "mpich", "gloo"; empty: whatever lies at `path`
    std::filesystem::path path{};  // of an installation; empty: the one that Tutti was built beside
    std::string settings{};        // "tuned" or "ucx"; empty: the library's own

    /// As it is written.
    std::string text() const;
};

/// Throws std::invalid_argument, which says what was probably meant.
PeerName parse_peer(std::string_view word);

/// What someone who knows a library starts it with on one host.
struct PeerSettings {
    std::vector<std::string> words{};  // for its launcher
    Variables variables{};
};

/// As a shell has it: "UCX_TLS=posix,self --mca pml ob1".
std::string text_of(const PeerSettings& settings);

/// Of `library` from this major version on; nothing for the name that is empty.
PeerSettings settings_of(std::string_view library, int major, std::string_view name);

}  // namespace tutti::bench
