
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "launcher/base/descriptors.hpp"
#include "launcher/base/option_values.hpp"
#include "launcher/daemon/daemon.hpp"
#include "launcher/job/job_messages.hpp"
#include "launcher/placement/machine_topology.hpp"
#include "launcher/ranks/launcher_signals.hpp"
#include "launcher/ranks/session_directory.hpp"
#include "launcher/tree/daemon_listener.hpp"
#include "lib/foundation/base/say.hpp"

namespace tutti::launcher {

namespace {

constexpr std::chrono::seconds kRecordTimeout{10};
constexpr std::size_t kMaxRecordBytes = std::size_t{4} << 20;

/// The first line of standard input. Some agents keep that open, so its end is not waited for.
std::string read_record()
{
    const auto give_up = std::chrono::steady_clock::now() + kRecordTimeout;
    std::string line;
    while (line.find('\n') == std::string::npos && line.size() < kMaxRecordBytes) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(give_up - std::chrono::steady_clock::now());
        pollfd entry{STDIN_FILENO, POLLIN, 0};
        if (left.count() <= 0 || ::poll(&entry, 1, static_cast<int>(left.count())) == 0) {
            throw std::runtime_error(
                "no record for a daemon came on the standard input; the command that starts "
                "daemons must pass its standard input on");
        }
        std::array<char, 4096> buffer;
        const ssize_t bytes = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (bytes < 0 && errno != EINTR)
            throw std::runtime_error(fmt::format("cannot read the standard input: {}", std::strerror(errno)));
        if (bytes == 0)
            break;
        line.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
    }
    return line.substr(0, line.find('\n'));
}

/// Where several hosts get the same record, each host has its name from Slurm.
int find_node(const DaemonRecord& record)
{
    if (record.node >= 0)
        return record.node;
    const std::string name = environment_variable("SLURMD_NODENAME");
    const auto found = record.nodes.find(name);
    if (found == record.nodes.end()) {
        throw std::runtime_error(fmt::format("this host, {} by SLURMD_NODENAME, is none of the job's",
                                             name.empty() ? "nameless" : name));
    }
    return found->second;
}

}  // namespace

int run_remote_daemon()
{
    const InheritedState inherited = take_over_process();
    try {
        const DaemonRecord record = decode_daemon_record(read_record());
        redirect_to_null({STDIN_FILENO, STDOUT_FILENO});
        const int node = find_node(record);
        UniqueFd stream = join_job(record, node);
        Hello hello = Hello::of_this_process();
        hello.topology = MachineTopology::detect().to_wire();
        return run_daemon(std::move(stream), {node, record.key, std::move(hello)}, inherited,
                          choose_session_directory());
    } catch (const std::exception& error) {
        const Hello self = Hello::of_this_process();
        base::say(fmt::format("tuttirun --daemon on {}: {}\n", self.host_name, describe(error)));
        return 1;
    }
}

}  // namespace tutti::launcher
