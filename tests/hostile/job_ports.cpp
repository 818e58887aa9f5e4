#include "tests/hostile/job_ports.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

namespace tutti::test {

namespace {

using Inode = std::uint64_t;

/// The inodes of the sockets that a process has open.
std::vector<Inode> sockets_of(pid_t pid)
{
    std::vector<Inode> found;
    std::error_code gone;
    std::filesystem::directory_iterator entry("/proc/" + std::to_string(pid) + "/fd", gone);
    while (!gone && entry != std::filesystem::directory_iterator()) {
        const std::string target = std::filesystem::read_symlink(entry->path(), gone).string();
        if (target.starts_with("socket:[")) {
            found.push_back(std::stoull(target.substr(8)));
        }
        entry.increment(gone);
    }
    return found;
}

struct Row {
    std::uint32_t address;
    std::uint16_t port;
    bool listens;
    Inode inode;
};

/// The lines of /proc/net/tcp or tcp6. Of an address of IPv6 the last four bytes: those that stand for one of
/// IPv4, or are zero.
std::vector<Row> rows_of(const std::string& table)
{
    std::vector<Row> rows;
    for (const std::string& line : lines_of(file_text(table))) {
        std::istringstream words(line);
        std::string number, local, remote, state, queues, timer, retries, user, timeout, inode;
        words >> number >> local >> remote >> state >> queues >> timer >> retries >> user >> timeout >> inode;
        const std::size_t colon = local.find(':');
        if (number == "sl" || colon == std::string::npos || colon < 8 || inode.empty()) {
            continue;
        }
        rows.push_back({static_cast<std::uint32_t>(std::stoul(local.substr(colon - 8, 8), nullptr, 16)),
                        static_cast<std::uint16_t>(std::stoul(local.substr(colon + 1), nullptr, 16)),
                        state == "0A", std::stoull(inode)});
    }
    return rows;
}

/// One of this machine's own where it has any but loopback's: ranks take no others then.
std::uint32_t outer_address()
{
    std::uint32_t found = htonl(INADDR_LOOPBACK);
    ifaddrs* all = nullptr;
    if (::getifaddrs(&all) != 0) {
        return found;
    }
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
        const bool outer = (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
        if (outer && one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET) {
            found = reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr.s_addr;
        }
    }
    ::freeifaddrs(all);
    return found;
}

}  // namespace

std::vector<JobPort> job_ports(const Launched& job)
{
    std::map<Inode, pid_t> owners;
    for (const pid_t pid : job.processes()) {
        for (const Inode inode : sockets_of(pid)) {
            owners.emplace(inode, pid);
        }
    }
    std::vector<Row> rows = rows_of("/proc/net/tcp");
    std::ranges::copy(rows_of("/proc/net/tcp6"), std::back_inserter(rows));
    std::vector<JobPort> ports;
    for (const Row& row : rows) {
        const auto owner = owners.find(row.inode);
        if (!row.listens || owner == owners.end()) {
            continue;
        }
        const Role role = role_of(owner->second, job);
        const std::uint32_t everywhere = role == Role::rank ? outer_address() : htonl(INADDR_LOOPBACK);
        ports.push_back({row.port, row.address != 0 ? row.address : everywhere, owner->second, role});
    }
    return ports;
}

}  // namespace tutti::test
