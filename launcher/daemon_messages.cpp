#include "launcher/daemon_messages.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

#include "launcher/help.hpp"

namespace tutti::launcher {

Hello Hello::of_this_process()
{
    Hello hello;
    hello.version = kVersion;
    utsname system{};
    if (::uname(&system) == 0) {
        hello.architecture = system.machine;
        hello.host_name = system.nodename;
    }
    hello.pid = ::getpid();
    return hello;
}

std::string encode(const Hello& hello)
{
    WireWriter writer;
    writer.put(std::string_view(hello.version)).put(std::string_view(hello.architecture));
    writer.put(std::string_view(hello.host_name)).put(std::int32_t{hello.pid});
    writer.put(std::string_view(hello.topology));
    return writer.bytes();
}

Hello decode_hello(std::string_view payload)
{
    WireReader reader(payload);
    Hello hello;
    hello.version = reader.text();
    if (hello.version != kVersion) {
        return hello;
    }
    hello.architecture = reader.text();
    hello.host_name = reader.text();
    hello.pid = reader.number<std::int32_t>();
    hello.topology = reader.text();
    reader.expect_end();
    return hello;
}

std::string encode(const StartOrder& order)
{
    WireWriter writer;
    writer.put(static_cast<std::uint8_t>(order.method.kind)).put(order.method.agent);
    writer.put(std::string_view(order.method.program)).put(order.method.timeout_seconds);
    writer.put(std::string_view(order.interface));
    writer.put(order.daemon_timeout_seconds);
    writer.put(std::int32_t{order.index}).put(static_cast<std::uint32_t>(order.hosts.size()));
    for (const RemoteHost& host : order.hosts) {
        writer.put(std::int32_t{host.node}).put(std::string_view(host.name)).put(std::string_view(host.user));
    }
    return writer.bytes();
}

StartOrder decode_start_order(std::string_view payload)
{
    WireReader reader(payload);
    StartOrder order;
    const auto kind = reader.number<std::uint8_t>();
    order.method.agent = reader.texts();
    if (kind > static_cast<std::uint8_t>(StartMethod::Agent::srun) || order.method.agent.empty()) {
        throw WireError("an order to start daemons without a way to do it");
    }
    order.method.kind = static_cast<StartMethod::Agent>(kind);
    order.method.program = reader.text();
    order.method.timeout_seconds = reader.number<double>();
    order.interface = reader.text();
    order.daemon_timeout_seconds = reader.number<double>();
    order.index = reader.number<std::int32_t>();
    // No reserve(): a hostile count fails at the first missing element instead.
    for (auto hosts = reader.number<std::uint32_t>(); hosts > 0; --hosts) {
        RemoteHost& host = order.hosts.emplace_back();
        host.node = reader.number<std::int32_t>();
        host.name = reader.text();
        host.user = reader.text();
    }
    if (order.index < 0 || static_cast<std::size_t>(order.index) >= order.hosts.size()) {
        throw WireError("an order to start daemons for a host that is not in it");
    }
    reader.expect_end();
    return order;
}

std::string encode(const MissingDaemons& report)
{
    return WireWriter().put(report.nodes).put(std::string_view(report.reason)).bytes();
}

MissingDaemons decode_missing_daemons(std::string_view payload)
{
    WireReader reader(payload);
    MissingDaemons report;
    report.nodes = reader.numbers();
    report.reason = reader.text();
    reader.expect_end();
    return report;
}

std::string judge_hello(const Hello& hello)
{
    const Hello own = Hello::of_this_process();
    if (hello.version != own.version) {
        return fmt::format("has Tutti {}, this is {}: install the same version on all hosts", hello.version,
                           own.version);
    }
    if (hello.architecture != own.architecture) {
        return fmt::format("is a machine of another kind ({}, this is {}): all hosts of a job need the same",
                           hello.architecture, own.architecture);
    }
    return {};
}

}  // namespace tutti::launcher
