#include "launcher/doctor/host_check.hpp"

#include <chrono>

#include "launcher/hosts/hosts.hpp"
#include "launcher/placement/machine_topology.hpp"

namespace tutti::launcher::doctor {

void HostCheck::handle_task(std::string_view payload)
{
    WireReader reader(payload);
    switch (decode_kind(reader)) {
        case Kind::facts: {
            const MachineTopology topology = MachineTopology::detect();
            Facts facts;
            facts.cores = topology.core_count();
            facts.hardware_threads = static_cast<int>(topology.cpus().size());
            facts.usable_cores = topology.usable_cores();
            run([this, task = decode<FactsTask>(reader.rest()), facts] { return check(task, facts); });
            break;
        }
        case Kind::clock: {
            const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
            head_.send(FrameType::doctor_report, encode(Kind::clock, std::int64_t{now.count()}));
            break;
        }
        case Kind::probe:
            run([this, task = decode<ProbeTask>(reader.rest())] {
                return encode_with_kind(probe(key_, head_.node(), addresses_, task));
            });
            break;
    }
}

std::string HostCheck::check(const FactsTask& task, Facts facts)
{
    collect_facts(task, facts);
    try {
        const auto choice = network::InterfaceChoice::parse(task.interface, "--interface");
        addresses_ = choice.choose(network::local_addresses(), local_host_name());
        facts.addresses.assign(addresses_.begin(), addresses_.end());
        server_.emplace(key_, head_.node());
        facts.probe_port = server_->port();
    } catch (const std::exception& error) {
        facts.network_error = error.what();
    }
    return encode_with_kind(facts);
}

void HostCheck::run(std::function<std::string()> work)
{
    work_ = {};  // waits for the thread of the task before
    work_ = std::async(std::launch::async, [this, work = std::move(work)] {
        loop_.post([this, report = work()] { head_.send(FrameType::doctor_report, report); });
    });
}

}  // namespace tutti::launcher::doctor
