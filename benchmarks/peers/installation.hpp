// An MPI that is installed: what its launcher says of itself, and the suite built for it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "benchmarks/peers/peer_name.hpp"

namespace tutti::bench {

struct Version {
    std::string library;  // "openmpi", "mpich"
    std::string number;   // "4.1.4"

    int major() const { return std::stoi(number); }
};

/// From what a launcher prints with --version, or Open MPI's compiler with --showme:version; nothing where
/// that is neither Open MPI's nor MPICH's.
std::optional<Version> version_in(const std::string& text);

/// Asks the launcher. Throws std::runtime_error where it does not tell.
Version version_of(const std::filesystem::path& launcher);

/// The full path, or an empty path.
std::filesystem::path find_in_path(const std::string& program);

struct Installation {
    std::filesystem::path launcher;
    std::filesystem::path compiler;
    Version version;
};

/// Below name.path, or there. Throws std::runtime_error that says what is missing, or that it is another
/// library.
Installation installation_at(const PeerName& name);

/// Where the suite lies that was built for this MPI: "peer-bench" and "empty". Builds it if need be, by the
/// script that lies beside the programs of a build folder; throws std::runtime_error where it cannot.
std::filesystem::path built_for(const Installation& installation, const std::filesystem::path& programs);

}  // namespace tutti::bench
