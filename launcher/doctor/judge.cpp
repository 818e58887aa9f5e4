#include "launcher/doctor/judge.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "launcher/base/host_names.hpp"
#include "launcher/base/option_values.hpp"
#include "launcher/hosts/hosts.hpp"
#include "launcher/job/job_messages.hpp"
#include "launcher/ranks/spawn.hpp"

namespace tutti::launcher::doctor {
namespace {

/// For registered buffers of an RDMA device.
constexpr std::uint64_t kMemlockForRdma = std::uint64_t{1} << 30;
/// A rank and its daemon need a descriptor for each rank that they talk to, and a few more.
constexpr std::uint64_t kFewOpenFiles = 4096;
constexpr double kSlowResolving = 1.0;
constexpr double kClockTolerance = 1.0;

std::string bytes_text(std::uint64_t bytes)
{
    if (bytes == RLIM_INFINITY)
        return "unlimited";
    constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
    return bytes >= kMebi ? fmt::format("{} MiB", bytes / kMebi) : fmt::format("{} KiB", bytes >> 10);
}

std::string count_text(std::uint64_t count)
{
    return count == RLIM_INFINITY ? "unlimited" : fmt::format("{}", count);
}

std::string latency_text(double seconds)
{
    return seconds < 1e-3 ? fmt::format("{:.1f} us", seconds * 1e6) : fmt::format("{:.1f} ms", seconds * 1e3);
}

std::string bandwidth_text(double bytes_per_second)
{
    return bytes_per_second >= 1e9 ? fmt::format("{:.2f} GB/s", bytes_per_second / 1e9)
                                   : fmt::format("{:.1f} MB/s", bytes_per_second / 1e6);
}

Finding judge_cores(const std::string& name, const Facts& facts)
{
    const std::string text =
        fmt::format("{}: {} core{}, {} hardware thread{}", name, facts.cores, facts.cores == 1 ? "" : "s",
                    facts.hardware_threads, facts.hardware_threads == 1 ? "" : "s");
    if (facts.usable_cores >= facts.cores)
        return good(text);
    return warning(
        fmt::format("{}, but a control group's quota grants the time of {:.2f} only", text,
                    facts.usable_cores),
        "more ranks than that take turns: raise the container's CPU limit (cpu.max), or ask for fewer ranks");
}

Finding judge_memlock(const std::string& name, const Facts& facts)
{
    const std::string devices =
        facts.rdma.empty() ? "no RDMA devices" : fmt::format("RDMA devices {}", fmt::join(facts.rdma, ", "));
    const std::string text =
        fmt::format("{}: {}; locked memory: {}", name, devices, bytes_text(facts.memlock_bytes));
    if (facts.rdma.empty() || facts.memlock_bytes >= kMemlockForRdma)
        return good(text);
    return failure(
        text,
        "RDMA needs locked memory: '* - memlock unlimited' in /etc/security/limits.conf, where '-' is for "
        "the soft limit, too, and LimitMEMLOCK=infinity for sshd or slurmd");
}

/// "eth0 10.77.0.0/24": what hosts of the same networks have in common.
std::string subnets_text(const std::vector<network::HostAddress>& addresses)
{
    std::string text;
    for (const network::HostAddress& host : addresses) {
        std::array<std::uint8_t, 16> bytes{};
        const std::size_t size = host.address.size();
        std::copy_n(host.address.data(), size, bytes.begin());
        for (std::size_t bit = host.prefix; bit < size * 8; ++bit)
            bytes[bit / 8] &= static_cast<std::uint8_t>(~(0x80U >> bit % 8));
        const auto base =
            network::IpAddress::of_bytes(reinterpret_cast<const std::byte*>(bytes.data()), size);
        text += fmt::format("{}{} {}/{}", text.empty() ? "" : ", ", host.interface, base->to_string(),
                            host.prefix);
    }
    return text;
}

/// Whether a program of this name is in PATH.
bool in_path(const std::string& program)
{
    try {
        find_program(program, environment_variable("PATH"), {});
        return true;
    } catch (const SpawnError&) {
        return false;
    }
}

}  // namespace

Finding Finding::about(std::string its_check, std::vector<std::string> its_hosts,
                       std::map<std::string, double> its_values) const
{
    Finding result = *this;
    const std::string name = its_hosts.size() == 1 ? its_hosts.front() + ": " : "";
    if (alike.empty() && !name.empty() && text.starts_with(name))
        result.alike = text.substr(name.size());
    result.check = std::move(its_check);
    result.hosts = std::move(its_hosts);
    result.values = std::move(its_values);
    return result;
}

Finding Finding::alike_as(std::string its_alike, double its_most) const
{
    Finding result = *this;
    result.alike = std::move(its_alike);
    result.most = its_most;
    return result;
}

Finding judge_scheduler()
{
    const bool srun = in_path("srun");
    std::string text = srun ? "Slurm is installed; this is not inside an allocation (salloc, sbatch)"
                            : "no scheduler found; hosts come from -H or --hostfile";
    if (const auto allocation = slurm_allocation()) {
        text = fmt::format("Slurm: inside an allocation of {} host{}", allocation->size(),
                           allocation->size() == 1 ? "" : "s");
        if (!srun) {
            return failure(
                       text + ", but srun is not in PATH",
                       "add the directory of Slurm's srun to PATH, or start daemons by ssh: --launcher ssh")
                .about("scheduler", {});
        }
    }
    return good(std::move(text)).about("scheduler", {});
}

std::vector<Finding> judge_host(const std::string& name, const Facts& facts, const Facts& here, bool several)
{
    std::vector<Finding> findings;
    const auto add = [&](const char* check, const Finding& finding) {
        findings.push_back(finding.about(check, {name}));
    };
    const std::string installed =
        fmt::format("Tutti {}, {}, {}", facts.version, facts.pmix_version, facts.kernel);
    const std::string versions = fmt::format(
        "{}: {}{}", name, installed, facts.host_name == name ? "" : ", calls itself " + facts.host_name);
    add("version", (facts.pmix_version == here.pmix_version
                        ? good(versions)
                        : warning(versions, fmt::format("here it is {}: install one PMIx on all hosts",
                                                        here.pmix_version)))
                       .alike_as(installed));
    add("cores", judge_cores(name, facts));
    add("locked_memory", judge_memlock(name, facts));
    const std::string files =
        fmt::format("{}: up to {} open files a process", name, count_text(facts.open_files));
    add("open_files",
        facts.open_files >= kFewOpenFiles
            ? good(files)
            : warning(files, "jobs of many ranks need more: 'nofile' in /etc/security/limits.conf"));
    if (facts.shared_memory.empty()) {
        add("shared_memory", good(name + ": shared memory works"));
    } else {
        add("shared_memory",
            failure(fmt::format("{}: no shared memory: {}", name, facts.shared_memory),
                    "is the container's memory limit reached, or memfd_create forbidden (seccomp)?"));
    }
    if (facts.cross_memory_attach.empty()) {
        add("cross_memory_attach", good(name + ": ranks may read each other's memory (CMA)"));
    } else {
        add("cross_memory_attach",
            warning(fmt::format("{}: ranks may not read each other's memory (CMA): {}", name,
                                facts.cross_memory_attach),
                    "they copy through shared memory instead, which is slower where they share cores: sysctl "
                    "kernel.yama.ptrace_scope=0; in containers --cap-add=SYS_PTRACE"));
    }
    if (several && facts.network_error.empty()) {
        add("network", good(fmt::format("{}: networks: {}", name, network::describe(facts.addresses)))
                           .alike_as("networks: " + subnets_text(facts.addresses)));
    } else if (several) {
        add("network",
            failure(fmt::format("{}: no network: {}", name, facts.network_error),
                    "connect the host to a network that the others are in, or name one by --interface"));
    }
    return findings;
}

std::vector<Finding> judge_names(const std::string& name, const Facts& facts)
{
    std::vector<Finding> findings;
    const auto add = [&](const Finding& finding) { findings.push_back(finding.about("names", {name})); };
    if (!facts.unresolved.empty()) {
        add(warning(
            fmt::format("{}: cannot resolve {}", name, hosts_in_words(facts.unresolved)),
            "Tutti connects by addresses and does not mind, but other programs do: add the hosts to DNS or "
            "/etc/hosts"));
    }
    if (facts.resolving_seconds > kSlowResolving) {
        add(warning(fmt::format("{}: looking up a host's name takes {:.1f} s", name, facts.resolving_seconds),
                    "a name server of /etc/resolv.conf does not answer; each ssh waits for it, too")
                .alike_as("looking up a host's name takes up to {} s", facts.resolving_seconds));
    }
    if (findings.empty())
        add(good(name + ": resolves the names of all hosts"));
    return findings;
}

Finding judge_same_machine(const std::string& name, const std::string& other)
{
    return warning(fmt::format("{}: is the same machine as {}", name, other),
                   "ranks of two hosts do not share memory: name a machine once, with all its slots")
        .alike_as("is the same machine as " + other)
        .about("same_machine", {name, other});
}

Finding judge_clock(const std::string& name, double offset_seconds, double error_seconds)
{
    const double offset = std::abs(offset_seconds);
    const double bound_ms = (offset + error_seconds) * 1e3;
    const char* const way = offset_seconds > 0 ? "ahead" : "behind";
    const Finding finding =
        offset - error_seconds <= kClockTolerance
            ? good(fmt::format("{}: the clock differs by {:.1f} ms or less", name, bound_ms))
                  .alike_as("the clocks differ by {} ms or less", bound_ms)
            : warning(
                  fmt::format("{}: the clock is {:.1f} s {}", name, offset, way),
                  "files and logs of different hosts will not fit together: run chrony or ntpd on all hosts")
                  .alike_as(fmt::format("the clocks are up to {{}} s {}", way), offset);
    return finding.about("clock", {name}, {{"offset_s", offset_seconds}, {"error_s", error_seconds}});
}

Finding judge_probe(const std::string& from, const Facts& from_facts, const std::string& to,
                    const Facts& to_facts, const ProbeResult& result)
{
    std::string tried;
    for (const std::string& way : result.failed)
        tried += "\n" + way;
    if (!result.reached) {
        return failure(
                   fmt::format("{} -> {}: cannot connect{}{}", from, to,
                               tried.empty() ? ": no address of one can lead to the other" : ":", tried),
                   fmt::format(
                       "{} has {}; {} has {}. Is there a firewall between them? Ranks listen at ports that "
                       "the system chooses (net.ipv4.ip_local_port_range); --interface names the network "
                       "to use",
                       from, network::describe(from_facts.addresses), to,
                       network::describe(to_facts.addresses)))
            .about("reach", {from, to});
    }
    const std::string text =
        fmt::format("{} -> {}: {}, {}, to {}", from, to, latency_text(result.latency_seconds),
                    bandwidth_text(result.bytes_per_second), result.way);
    const Finding finding = tried.empty()
                                ? good(text)
                                : warning(fmt::format("{}; other ways failed before:{}", text, tried),
                                          "keep jobs off the networks that lead nowhere: --interface");
    return finding.about(
        "reach", {from, to},
        {{"latency_us", result.latency_seconds * 1e6}, {"bytes_per_s", result.bytes_per_second}});
}

Finding note_one_way_probes(std::size_t hosts)
{
    return good(fmt::format(
                    "{} hosts are many: each pair is probed in one direction only; a firewall that lets only "
                    "the other one through shows when fewer hosts are checked",
                    hosts))
        .about("reach", {});
}

void ProbeSummary::add(const std::string& from, const std::string& to, const ProbeResult& result)
{
    const std::string pair = fmt::format("{} -> {}", from, to);
    if (empty() || result.latency_seconds > most_latency_seconds_) {
        most_latency_seconds_ = result.latency_seconds;
        slowest_ = pair;
    }
    if (empty() || result.bytes_per_second < least_bytes_per_second_) {
        least_bytes_per_second_ = result.bytes_per_second;
        narrowest_ = pair;
    }
    ++count_;
}

Finding ProbeSummary::finding() const
{
    return good(fmt::format(
        "{} pairs of hosts reach each other (-v shows all); the slowest is {} with {}, the narrowest "
        "{} with {}",
        count_, slowest_, latency_text(most_latency_seconds_), narrowest_,
        bandwidth_text(least_bytes_per_second_)));
}

std::string format(const Finding& finding)
{
    const char* const mark = finding.level == Severity::good      ? "[ok]   "
                             : finding.level == Severity::warning ? "[warn] "
                                                                  : "[FAIL] ";
    std::string result;
    std::istringstream lines(finding.text + (finding.remedy.empty() ? "" : "\n" + finding.remedy));
    for (std::string line; std::getline(lines, line);)
        result += (result.empty() ? mark : "       ") + line + "\n";
    return result;
}

std::size_t Findings::count(Severity level) const
{
    return static_cast<std::size_t>(std::ranges::count(findings_, level, &Finding::level));
}

std::string Findings::summary() const
{
    const std::size_t warnings = count(Severity::warning);
    const std::size_t failures = count(Severity::failure);
    return fmt::format("{} warning{}, {} failure{}", warnings, warnings == 1 ? "" : "s", failures,
                       failures == 1 ? "" : "s");
}

std::string Findings::to_json(const std::vector<std::string>& hosts, bool complete) const
{
    using Json = nlohmann::ordered_json;
    Json document = {{"version", kVersion},
                     {"complete", complete},
                     {"hosts", hosts},
                     {"warnings", count(Severity::warning)},
                     {"failures", count(Severity::failure)},
                     {"findings", Json::array()}};
    for (const Finding& finding : findings_) {
        const char* const level = finding.level == Severity::good      ? "ok"
                                  : finding.level == Severity::warning ? "warning"
                                                                       : "failure";
        Json entry = {
            {"check", finding.check}, {"level", level}, {"hosts", finding.hosts}, {"text", finding.text}};
        if (!finding.remedy.empty())
            entry["remedy"] = finding.remedy;
        for (const auto& [name, value] : finding.values)
            entry[name] = value;
        document["findings"].push_back(std::move(entry));
    }
    // The output of ssh may not be UTF-8.
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tutti::launcher::doctor
