// The libraries that are compared, and how to call their launchers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/peers/peer_name.hpp"
#include "benchmarks/peers/run_program.hpp"

namespace tutti::bench {

enum class Binding { core, none };

/// Where ranks go: the same number on each host, in blocks. Without names: all on this machine.
struct Hosts {
    std::vector<std::string> names;
    std::string interface;  // by which they reach each other; empty: whatever each library takes
};

/// Tutti with buffers of tutti::allocate, beside Tutti with ordinary ones.
inline constexpr std::string_view kAllocated = "tutti:allocate";

struct Contender {
    std::string name;                 // "tutti", "openmpi:tuned": as on the command line and in JSON
    std::string title;                // for tables
    std::filesystem::path launcher;   // tuttirun, mpirun.openmpi, mpirun.mpich
    std::filesystem::path benchmark;  // the suite built for it
    std::filesystem::path empty;      // joins the job and leaves it; none where the library has no launcher
    std::vector<std::string> only{};  // the benchmarks that it has; empty: all
    int major = 0;                    // of its version; 0: not known
    std::string variant{};            // what tells it from its library's usual form: "tuned"
    PeerSettings settings{};
    std::vector<std::string> suite_arguments{};  // of every run

    /// "tutti", "openmpi", "mpich", "gloo": whose launcher it is.
    std::string library() const { return name.substr(0, name.find(':')); }
    bool is_tutti() const { return library() == "tutti"; }
    bool offers(std::string_view benchmark_name) const;

    /// The whole command line that runs `program` with `arguments` on `ranks` ranks, a multiple of the hosts.
    /// Hosts have as many cores as this one.
    std::vector<std::string> command(int ranks, Binding binding, const Hosts& hosts,
                                     const std::filesystem::path& program,
                                     const std::vector<std::string>& arguments) const;
};

/// Whom a comparison is between.
struct Invited {
    std::optional<std::vector<PeerName>> peers{};  // none: all that are there, with each kind of settings
    bool both_memories = false;                    // Tutti out of tutti::allocate, too
    bool one_host = true;                          // where "tuned" has a meaning
};

/// Tutti first, then the peers, each with programs beside this executable; without a list all that are there,
/// each as it is and tuned, and says on stderr which are missing. Throws std::runtime_error when Tutti's own
/// programs are missing, or those of a peer that was named.
std::vector<Contender> find_contenders(const Invited& invited);

/// CPUs that this process may use: on a host that was given a share of the machine's, fewer than there are.
int usable_cores();

/// What a run gets in its environment: its settings, and what Open MPI asks for where the user is root.
Variables variables_of(const Contender& contender);

}  // namespace tutti::bench
