#include "launcher/job/job_messages.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

namespace tutti::launcher {

std::string format_cpu_list(std::vector<int> cpus)
{
    std::sort(cpus.begin(), cpus.end());
    std::string text;
    for (std::size_t begin = 0; begin < cpus.size();) {
        std::size_t end = begin + 1;
        while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1)
            ++end;
        text += text.empty() ? "" : ",";
        text += end - begin == 1 ? fmt::format("{}", cpus[begin])
                                 : fmt::format("{}-{}", cpus[begin], cpus[end - 1]);
        begin = end;
    }
    return text;
}

std::vector<int> LaunchOrder::ranks_of(int node) const
{
    std::vector<int> result;
    for (const RankPlacement& placement : ranks)
        if (placement.node == node)
            result.push_back(placement.rank);
    return result;
}

void LaunchOrder::check() const
{
    const auto is_index_of = [](int index, const auto& list) {
        return index >= 0 && static_cast<std::size_t>(index) < list.size();
    };
    for (const AppContext& app : apps)
        if (app.argv.empty())
            throw WireError("a program of the launch order has no name");
    if (stdin_target > StdinTarget::none || mpi > MpiLibraries::preload_mpich)
        throw WireError("the launch order has an unknown target for standard input");
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        if (!is_index_of(ranks[rank].app, apps) || !is_index_of(ranks[rank].node, nodes))
            throw WireError("a rank of the launch order belongs to no program or no node");
        if (ranks[rank].rank != static_cast<int>(rank))
            throw WireError("the ranks of the launch order are not in order");
    }
}

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

template void put<LaunchOrder>(WireWriter& writer, const LaunchOrder& value);
template LaunchOrder take<LaunchOrder>(WireReader& reader);
template void put<StartOrder>(WireWriter& writer, const StartOrder& value);
template StartOrder take<StartOrder>(WireReader& reader);
template void put<ExitReport>(WireWriter& writer, const ExitReport& value);
template ExitReport take<ExitReport>(WireReader& reader);

}  // namespace tutti::launcher
