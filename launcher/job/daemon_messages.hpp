// Messages about daemons: which have come, which are to be started, which are lost.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/start_command.hpp"
#include "launcher/wire/codec.hpp"
#include "launcher/wire/wire.hpp"

namespace tutti::launcher {

/// The first frame of every daemon. The version is always its first field, so that different releases can
/// recognise each other.
struct Hello {
    std::string version;       // of Tutti
    std::string architecture;  // of the processor, as uname has it
    std::string host_name;     // of the machine itself
    int pid = 0;
    std::string topology;  // for map_job(), from Topology::to_wire()

    /// The Hello of this process, without its topology.
    static Hello of_this_process();

    static auto fields(auto& self)
    {
        return std::tie(self.version, self.architecture, self.host_name, self.pid, self.topology);
    }
};

/// The daemons below a daemon. It has all hosts of the job but the head's, since their order decides which
/// daemon starts which (starter_of()).
struct StartOrder {
    StartMethod method;
    std::string interface;  // to which daemons connect; empty: choose
    std::vector<RemoteHost> hosts;
    int index = 0;                      // of the host that the order goes to
    double daemon_timeout_seconds = 0;  // see Children::watch_for_silence()

    /// Checks that it has an agent, and that its index is a host.
    void check() const;

    static auto fields(auto& self)
    {
        return std::tie(self.method, self.interface, self.hosts, self.index, self.daemon_timeout_seconds);
    }
};

/// Daemons that are missing, and why.
struct MissingDaemons {
    std::vector<int> nodes;
    std::string reason;  // whole sentences

    static auto fields(auto& self) { return std::tie(self.nodes, self.reason); }
};

/// Reads only the version where that differs. Throws WireError.
Hello decode_hello(std::string_view payload);

/// Why a daemon with this `hello` cannot take part, as the rest of a sentence about its host; empty when it
/// can.
std::string judge_hello(const Hello& hello);

}  // namespace tutti::launcher
