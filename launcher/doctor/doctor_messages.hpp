// The tasks that --doctor gives to daemons, and their reports: the payloads of doctor_task and
// doctor_report frames.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/wire/codec.hpp"
#include "lib/foundation/network/interfaces.hpp"

namespace tutti::launcher::doctor {

/// First byte of a task and of the report that answers it.
enum class Kind : std::uint8_t {
    facts = 1,  // FactsTask, answered by Facts
    clock,      // nothing, answered at once by i64 nanoseconds since 1970
    probe       // ProbeTask, answered by ProbeResult
};

struct FactsTask {
    std::string interface;           // as --interface has it
    std::vector<std::string> names;  // of the job's hosts

    static constexpr Kind kKind = Kind::facts;
    static auto fields(auto& self) { return std::tie(self.interface, self.names); }
};

/// A daemon's facts about its host.
struct Facts {
    std::string host_name;
    std::string version;  // of Tutti
    std::string pmix_version;
    std::string kernel;
    std::string boot_id;  // the same for all names of one machine
    int cores = 0;
    int hardware_threads = 0;
    double usable_cores = 0;              // less where a control group has a quota
    std::uint64_t memlock_bytes = 0;      // limit of locked memory, as ranks have it
    std::uint64_t open_files = 0;         // limit, as far as ranks may raise it
    std::string cross_memory_attach;      // why ranks may not read each other's memory; empty: they may
    std::string shared_memory;            // why there is none; empty: there is
    std::vector<std::string> rdma;        // devices
    std::vector<std::string> unresolved;  // of FactsTask::names
    double resolving_seconds = 0;         // for the slowest of the names
    std::vector<network::HostAddress> addresses;
    std::string network_error;     // why there are none
    std::uint16_t probe_port = 0;  // where probes of other daemons are answered

    static constexpr Kind kKind = Kind::facts;
    static auto fields(auto& self)
    {
        return std::tie(self.host_name, self.version, self.pmix_version, self.kernel, self.boot_id,
                        self.cores, self.hardware_threads, self.usable_cores, self.memlock_bytes,
                        self.open_files, self.cross_memory_attach, self.shared_memory, self.rdma,
                        self.unresolved, self.resolving_seconds, self.addresses, self.network_error,
                        self.probe_port);
    }
};

struct ProbeTask {
    int peer = 0;  // node
    std::string name;
    std::vector<network::HostAddress> addresses;
    std::uint16_t port = 0;

    static constexpr Kind kKind = Kind::probe;
    static auto fields(auto& self) { return std::tie(self.peer, self.name, self.addresses, self.port); }
};

struct ProbeResult {
    int peer = 0;
    bool reached = false;
    std::string way;                  // "10.0.0.2 (eth0) from 10.0.0.1 (eth0)"
    std::vector<std::string> failed;  // other ways that were tried before, and why they failed
    double latency_seconds = 0;       // half a round trip of one byte
    double bytes_per_second = 0;

    static constexpr Kind kKind = Kind::probe;
    static auto fields(auto& self)
    {
        return std::tie(self.peer, self.reached, self.way, self.failed, self.latency_seconds,
                        self.bytes_per_second);
    }
};

/// A task or report after its kind.
template <class Message>
std::string encode_with_kind(const Message& message)
{
    return launcher::encode(Message::kKind, message);
}

/// Reads the kind of a task or report, and leaves the rest in `reader`. Throws WireError for an unknown
/// kind.
Kind decode_kind(WireReader& reader);

}  // namespace tutti::launcher::doctor

template <>
struct tutti::launcher::Codec<tutti::network::HostAddress> {
    static void put(WireWriter& writer, const network::HostAddress& address);
    static network::HostAddress take(WireReader& reader);
};
