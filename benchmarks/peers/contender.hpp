// The libraries that are compared, and how to call their launchers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/peers/process.hpp"

namespace tutti::bench {

enum class Binding { core, none };

/// Where ranks go: the same number on each host, in blocks. Without names: all on this machine.
struct Hosts {
    std::vector<std::string> names;
    std::string interface;  // by which they reach each other; empty: whatever each library takes
};

struct Contender {
    std::string name;   // "tutti", "openmpi", "mpich", "gloo": as on the command line and in JSON
    std::string title;  // for tables
    std::filesystem::path launcher;   // tuttirun, mpirun.openmpi, mpirun.mpich
    std::filesystem::path benchmark;  // the suite built for it
    std::filesystem::path empty;      // joins the job and leaves it; none where the library has no launcher
    std::vector<std::string> only{};  // the benchmarks that it has; empty: all

    bool offers(std::string_view benchmark_name) const;

    /// The whole command line that runs `program` with `arguments` on `ranks` ranks, a multiple of the hosts.
    /// Hosts have as many cores as this one.
    std::vector<std::string> command(int ranks, Binding binding, const Hosts& hosts,
                                     const std::filesystem::path& program,
                                     const std::vector<std::string>& arguments) const;
};

/// Tutti first, then `peers`, each with programs beside this executable; without a list all that are there,
/// and says on stderr which are missing. Throws std::runtime_error when Tutti's own programs are missing, or
/// those of a peer that was named.
std::vector<Contender> find_contenders(const std::optional<std::vector<std::string>>& peers);

/// CPUs that this process may use: on a host that was given a share of the machine's, fewer than there are.
int usable_cores();

/// What every run gets in its environment: Open MPI asks for it where the user is root.
const Variables& contender_variables();

}  // namespace tutti::bench
