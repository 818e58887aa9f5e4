#include "launcher/doctor/messages.hpp"

namespace tutti::launcher::doctor {
namespace {

void put_kind(WireWriter& writer, Kind kind)
{
    writer.put(static_cast<std::uint8_t>(kind));
}

void put_addresses(WireWriter& writer, const std::vector<network::HostAddress>& addresses)
{
    writer.put(static_cast<std::uint32_t>(addresses.size()));
    for (const network::HostAddress& address : addresses) {
        const char* const bytes = reinterpret_cast<const char*>(address.address.data());
        writer.put(std::string_view(bytes, address.address.size()));
        writer.put(static_cast<std::uint32_t>(address.prefix)).put(std::string_view(address.interface));
    }
}

std::vector<network::HostAddress> addresses_from(WireReader& reader)
{
    std::vector<network::HostAddress> result;
    for (auto count = reader.number<std::uint32_t>(); count > 0; --count) {
        const std::string bytes = reader.text();
        const auto address =
            network::IpAddress::of_bytes(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
        const auto prefix = reader.number<std::uint32_t>();
        if (!address || prefix > address->bits()) {
            throw WireError("an address that is none");
        }
        result.push_back({*address, prefix, reader.text()});
    }
    return result;
}

}  // namespace

std::string encode(const FactsTask& task)
{
    WireWriter writer;
    put_kind(writer, Kind::facts);
    return writer.put(std::string_view(task.interface)).put(task.names).bytes();
}

std::string encode(const ProbeTask& task)
{
    WireWriter writer;
    put_kind(writer, Kind::probe);
    writer.put(std::int32_t{task.peer}).put(std::string_view(task.name));
    put_addresses(writer, task.addresses);
    return writer.put(task.port).bytes();
}

std::string encode(const Facts& facts)
{
    WireWriter writer;
    put_kind(writer, Kind::facts);
    for (const std::string* text :
         {&facts.host_name, &facts.version, &facts.pmix_version, &facts.kernel, &facts.boot_id,
          &facts.cross_memory_attach, &facts.shared_memory, &facts.network_error}) {
        writer.put(std::string_view(*text));
    }
    writer.put(std::int32_t{facts.cores}).put(std::int32_t{facts.hardware_threads}).put(facts.usable_cores);
    writer.put(facts.memlock_bytes).put(facts.open_files).put(facts.rdma).put(facts.unresolved);
    writer.put(facts.resolving_seconds);
    put_addresses(writer, facts.addresses);
    return writer.put(facts.probe_port).bytes();
}

std::string encode(const ProbeResult& result)
{
    WireWriter writer;
    put_kind(writer, Kind::probe);
    writer.put(std::int32_t{result.peer}).put(static_cast<std::uint8_t>(result.reached));
    writer.put(std::string_view(result.way)).put(result.failed);
    return writer.put(result.latency_seconds).put(result.bytes_per_second).bytes();
}

Kind decode_kind(WireReader& reader)
{
    const auto kind = reader.number<std::uint8_t>();
    if (kind < static_cast<std::uint8_t>(Kind::facts) || kind > static_cast<std::uint8_t>(Kind::probe)) {
        throw WireError("a question of a doctor that is none");
    }
    return static_cast<Kind>(kind);
}

FactsTask decode_facts_task(WireReader& reader)
{
    FactsTask task;
    task.interface = reader.text();
    task.names = reader.texts();
    reader.expect_end();
    return task;
}

ProbeTask decode_probe_task(WireReader& reader)
{
    ProbeTask task;
    task.peer = reader.number<std::int32_t>();
    task.name = reader.text();
    task.addresses = addresses_from(reader);
    task.port = reader.number<std::uint16_t>();
    reader.expect_end();
    return task;
}

Facts decode_facts(WireReader& reader)
{
    Facts facts;
    for (std::string* text :
         {&facts.host_name, &facts.version, &facts.pmix_version, &facts.kernel, &facts.boot_id,
          &facts.cross_memory_attach, &facts.shared_memory, &facts.network_error}) {
        *text = reader.text();
    }
    facts.cores = reader.number<std::int32_t>();
    facts.hardware_threads = reader.number<std::int32_t>();
    facts.usable_cores = reader.number<double>();
    facts.memlock_bytes = reader.number<std::uint64_t>();
    facts.open_files = reader.number<std::uint64_t>();
    facts.rdma = reader.texts();
    facts.unresolved = reader.texts();
    facts.resolving_seconds = reader.number<double>();
    facts.addresses = addresses_from(reader);
    facts.probe_port = reader.number<std::uint16_t>();
    reader.expect_end();
    return facts;
}

ProbeResult decode_probe_result(WireReader& reader)
{
    ProbeResult result;
    result.peer = reader.number<std::int32_t>();
    result.reached = reader.number<std::uint8_t>() != 0;
    result.way = reader.text();
    result.failed = reader.texts();
    result.latency_seconds = reader.number<double>();
    result.bytes_per_second = reader.number<double>();
    reader.expect_end();
    return result;
}

}  // namespace tutti::launcher::doctor
