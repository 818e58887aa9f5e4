#include "lib/engine/bootstrap/embedded.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "lib/engine/bootstrap/waiting.hpp"
#include "lib/foundation/base/exit_status.hpp"
#include "lib/foundation/base/say.hpp"
#include "lib/foundation/security/key.hpp"

namespace tutti::bootstrap {

namespace {

constexpr std::string_view kIntroductionKey = "tutti.introduction";
constexpr std::string_view kTableKey = "tutti.table";
constexpr std::string_view kProgramKey = "tutti.key";
// Marks a table that is an error text.
constexpr char kNoTable = '!';

/// Runs call() and turns the program's exceptions into tutti::Error.
template <class Call>
auto ask_program(std::string_view operation, Call call)
{
    try {
        return call();
    } catch (const std::exception& error) {
        throw Error(ErrorCode::bootstrap, operation,
                    fmt::format("the program's own bootstrap says: {}", error.what()));
    }
}

[[noreturn]] void fail_start(const std::string& why)
{
    throw Error(ErrorCode::bootstrap, "start", why);
}

std::string text_of(const std::vector<std::byte>& bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A rank's description of itself for the others, as one line.
struct Introduction {
    int size = 0;
    std::string host;
    long pid = 0;
    std::string node;  // equal at ranks that can share memory

    static Introduction of_this_process(int size)
    {
        char host[256] = "";
        gethostname(host, sizeof host - 1);
        std::string boot;
        std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
        std::error_code ignored;
        const std::string processes = std::filesystem::read_symlink("/proc/self/ns/pid", ignored);
        return {size, *host != '\0' ? host : "unnamed", getpid(), fmt::format("{}/{}", boot, processes)};
    }
    static Introduction from_line(const std::string& line)
    {
        Introduction self;
        std::istringstream(line) >> self.size >> self.host >> self.pid >> self.node;
        return self;
    }
    std::string line() const { return fmt::format("{} {} {} {}", size, host, pid, node); }
};

}  // namespace

Embedded::Embedded(std::unique_ptr<tutti::Bootstrap> program) : program_(std::move(program))
{
    std::tie(rank_, size_) =
        ask_program("start", [this] { return std::pair(program_->rank(), program_->size()); });
    if (size_ < 1 || size_ > kMostRanks || rank_ < 0 || rank_ >= size_)
        fail_start(fmt::format(
            "the program's own bootstrap says rank {} of {}; ranks are 0 to size - 1, of 1 to {} of them",
            rank_, size_, kMostRanks));
    if (size_ > 1)
        meet();
    else
        local_peers_ = {0};
}

void Embedded::meet()
{
    const std::string own = Introduction::of_this_process(size_).line();
    publish(kIntroductionKey, std::as_bytes(std::span(own)));
    // Rank 0 collects all introductions, so each other rank fetches only one value.
    const std::string table = rank_ == 0 ? table_of_all() : text_of(fetch(0, kTableKey));
    if (table.starts_with(kNoTable))
        fail_start(table.substr(1));
    std::map<std::string, int> number_of_node;
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
        const Introduction peer = Introduction::from_line(line);
        const int next = static_cast<int>(number_of_node.size());
        const auto node = number_of_node.try_emplace(peer.host + ' ' + peer.node, next).first;
        if (static_cast<int>(host_of_rank_.size()) == rank_ && line != own)
            fail_start(fmt::format("two processes say that they are rank {}: {} on {}, and {} on {}", rank_,
                                   getpid(), Introduction::from_line(own).host, peer.pid, peer.host));
        host_of_rank_.push_back(peer.host);
        node_of_rank_.push_back(node->second);
    }
    if (static_cast<int>(host_of_rank_.size()) != size_)
        fail_start(fmt::format("rank 0 says that the job has {} ranks, this process that it is rank {} of {}",
                               host_of_rank_.size(), rank_, size_));
    if (const auto nodes = ask_program("start", [this] { return program_->nodes(); }); !nodes.empty())
        node_of_rank_ = nodes;
    if (node_of_rank_.size() != host_of_rank_.size())
        fail_start(fmt::format("the program's own bootstrap names the nodes of {} ranks, of {}",
                               node_of_rank_.size(), size_));
    for (int peer = 0; peer < size_; ++peer)
        if (node_of_rank_[static_cast<std::size_t>(peer)] == node_of_rank_[static_cast<std::size_t>(rank_)])
            local_peers_.push_back(peer);
}

/// At rank 0: the introductions of all ranks, in order. Publishes them to the other ranks.
std::string Embedded::table_of_all()
{
    std::string table;
    for (int peer = 0; peer < size_; ++peer) {
        const std::string line = text_of(fetch(peer, kIntroductionKey));
        if (const int size = Introduction::from_line(line).size; size != size_) {
            table = fmt::format("{}rank 0 says that the job has {} ranks, rank {} says {}", kNoTable, size_,
                                peer, size);
            break;
        }
        table += line + '\n';
    }
    publish(kTableKey, std::as_bytes(std::span(table)));
    return table;
}

std::span<const int> Embedded::node_of_rank() const noexcept
{
    return static_cast<int>(local_peers_.size()) == size_ ? std::span<const int>() : node_of_rank_;
}

std::string Embedded::host_of(int rank) const
{
    const auto index = static_cast<std::size_t>(rank);
    return index < host_of_rank_.size() ? host_of_rank_[index] : "";
}

std::string Embedded::job_key()
{
    std::string digits;
    for (const std::byte byte : ask_program("key", [this] { return program_->key(); }))
        digits += fmt::format("{:02x}", static_cast<unsigned>(byte));
    return digits;
}

void Embedded::publish(std::string_view key, std::span<const std::byte> value)
{
    ask_program("publish", [&] { program_->publish(key, value); });
}

std::vector<std::byte> Embedded::fetch(int rank, std::string_view key)
{
    return ask_program("fetch", [&] { return program_->fetch(rank, key); });
}

std::optional<std::vector<std::byte>> Embedded::find(int rank, std::string_view key)
{
    return ask_program("find", [&] { return program_->find(rank, key); });
}

void Embedded::fence()
{
    ask_program("fence", [this] { program_->fence(); });
}

void Embedded::abort(int status, std::string_view message)
{
    base::say(fmt::format("tutti: {}; ending this process with status {}\n", message, status));
    program_->abort(status, message);
    std::fflush(nullptr);
    _exit(base::exit_status_of_abort(status));
}

void Embedded::finalize()
{
    if (size_ > 1)
        fence();
}

}  // namespace tutti::bootstrap

namespace tutti {

std::array<std::byte, 32> Bootstrap::key()
{
    std::array<std::byte, 32> key;
    if (rank() == 0) {
        std::ranges::copy(security::Key::random().bytes(), key.begin());
        publish(bootstrap::kProgramKey, key);
        return key;
    }
    const std::vector<std::byte> fetched = fetch(0, bootstrap::kProgramKey);
    if (fetched.size() != key.size())
        throw Error(ErrorCode::bootstrap, "key",
                    fmt::format("rank 0's key has {} bytes in place of {}", fetched.size(), key.size()), 0);
    std::ranges::copy(fetched, key.begin());
    return key;
}

std::optional<std::vector<std::byte>> Bootstrap::find(int, std::string_view)
{
    return std::nullopt;
}

void Bootstrap::abort(int, std::string_view) noexcept {}

}  // namespace tutti
