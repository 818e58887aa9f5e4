#include "launcher/job/daemon_messages.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

#include "launcher/base/version.hpp"

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

Hello decode_hello(std::string_view payload)
{
    WireReader reader(payload);
    Hello other;
    other.version = reader.text();
    return other.version == kVersion ? decode<Hello>(payload) : other;
}

void StartOrder::check() const
{
    if (method.kind > StartMethod::Agent::srun || method.agent.empty())
        throw WireError("an order to start daemons without a way to do it");
    if (index < 0 || static_cast<std::size_t>(index) >= hosts.size())
        throw WireError("an order to start daemons for a host that is not in it");
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
