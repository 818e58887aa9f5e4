#include "launcher/doctor/patient.hpp"

#include <chrono>

#include "launcher/doctor/facts.hpp"
#include "launcher/hosts/this_host.hpp"
#include "launcher/placement/topology.hpp"

namespace tutti::launcher::doctor {

Patient::Patient(EventLoop& loop, const security::Key& key, int node,
                 std::function<void(const std::string& payload)> report)
    : loop_(loop), key_(key), node_(node), report_(std::move(report))
{
}

Patient::~Patient()
{
    if (thread_.joinable())
        thread_.join();
}

void Patient::handle_task(std::string_view payload)
{
    WireReader reader(payload);
    switch (decode_kind(reader)) {
        case Kind::facts: {
            const Topology topology = Topology::detect();
            Facts facts;
            facts.cores = topology.core_count();
            facts.hardware_threads = static_cast<int>(topology.cpus().size());
            facts.usable_cores = topology.usable_cores();
            run([this, task = decode<FactsTask>(reader.rest()), facts] { return gather(task, facts); });
            break;
        }
        case Kind::clock: {
            const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
            report_(encode(Kind::clock, std::int64_t{now.count()}));
            break;
        }
        case Kind::probe:
            run([this, task = decode<ProbeTask>(reader.rest())] {
                return encode_with_kind(probe(key_, node_, addresses_, task));
            });
            break;
    }
}

std::string Patient::gather(const FactsTask& task, Facts facts)
{
    look_around(task, facts);
    try {
        const auto choice = network::InterfaceChoice::parse(task.interface, "--interface");
        addresses_ = choice.choose(network::local_addresses(), local_host_name());
        facts.addresses.assign(addresses_.begin(), addresses_.end());
        server_.emplace(key_, node_);
        facts.probe_port = server_->port();
    } catch (const std::exception& error) {
        facts.network_error = error.what();
    }
    return encode_with_kind(facts);
}

void Patient::run(std::function<std::string()> work)
{
    if (thread_.joinable())
        thread_.join();  // the head waits for each answer before it asks again
    thread_ = std::thread([this, work = std::move(work)] {
        std::string payload = work();
        loop_.post([this, payload = std::move(payload)] { report_(payload); });
    });
}

}  // namespace tutti::launcher::doctor
