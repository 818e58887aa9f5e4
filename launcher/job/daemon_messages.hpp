// What head and daemons say about each other: who has come, who is to be started, who is gone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/start_command.hpp"
#include "launcher/wire/codec.hpp"
#include "launcher/wire/wire.hpp"

namespace tutti::launcher {

/// The first frame of every daemon. The version stays its first part for ever, so that releases that differ
/// in all else can tell each other apart.
struct Hello {
    std::string version;       // of Tutti
    std::string architecture;  // of the processor, as uname has it
    std::string host_name;     // as the machine calls itself
    int pid = 0;
    std::string topology;  // what map_job() needs to know, as Topology wrote it

    /// That of this process, still without a topology.
    static Hello of_this_process();

    static auto fields(auto& self)
    {
        return std::tie(self.version, self.architecture, self.host_name, self.pid, self.topology);
    }
};

/// The daemons below a daemon. All hosts of the job that are not the head's are in it, since their order says
/// who starts whom (starter_of()).
struct StartOrder {
    StartMethod method;
    std::string interface;  // to be used for connections back; empty: choose
    std::vector<RemoteHost> hosts;
    int index = 0;                      // of the host that the order goes to
    double daemon_timeout_seconds = 0;  // see Children::watch_for_silence()

    /// That it has a way to start daemons, and is for a host of its own.
    void check() const;

    static auto fields(auto& self)
    {
        return std::tie(self.method, self.interface, self.hosts, self.index, self.daemon_timeout_seconds);
    }
};

/// Of daemons that are missing.
struct MissingDaemons {
    std::vector<int> nodes;
    std::string reason;  // whole sentences

    static auto fields(auto& self) { return std::tie(self.nodes, self.reason); }
};

/// A Hello of another version as far as its version. Throws WireError.
Hello decode_hello(std::string_view payload);

/// Why a daemon that said `hello` cannot take part, as the rest of a sentence about its host; empty when it
/// can.
std::string judge_hello(const Hello& hello);

}  // namespace tutti::launcher
