#include "launcher/pmi/pmi_server.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "launcher/wire/wire.hpp"
#include "lib/foundation/control/process_mapping.hpp"

namespace tutti::launcher {

namespace {

using control::PmiLine;

/// Of one rank. MPICH needs fewer than ten.
constexpr std::size_t kMostPuts = 4096;
/// Of one rank, before the others have their turn; more than a socket holds.
constexpr int kReadsATurn = 64;
constexpr int kFailed = -1;

std::string start_of(std::string_view line)
{
    constexpr std::size_t kMost = 60;
    std::string start(line.substr(0, kMost));
    std::ranges::replace_if(
        start, [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
    return start;
}

/// Why a value is not kept, as a word; empty: it is.
std::string_view trouble_of_put(const PmiLine& line, std::string_view space, std::size_t puts)
{
    const std::string_view key = line.field("key");
    const std::string_view value = line.field("value");
    if (line.field("kvsname") != space)
        return "no_such_kvsname";
    if (!control::is_pmi_word(key))
        return "no_such_key";
    if (key.size() >= control::kPmiKeyRoom)
        return "key_too_long";
    if (!value.empty() && !control::is_pmi_word(value))
        return "value_with_control_characters";
    if (value.size() >= control::kPmiValueRoom)
        return "value_too_long";
    return puts >= kMostPuts ? "too_many_keys" : "";
}

}  // namespace

PmiServer::~PmiServer()
{
    for (const auto& [number, rank] : ranks_)
        close(number);
}

void PmiServer::set_job(const LaunchOrder& order, int node)
{
    space_ = order.job_name;
    size_ = static_cast<int>(order.ranks.size());
    local_size_ = order.ranks_of(node).size();
    std::vector<int> node_of_rank;
    for (const RankPlacement& placement : order.ranks) {
        node_of_rank.push_back(placement.node);
        program_of_rank_[placement.rank] = placement.app;
    }
    // Without it a library exchanges the hosts' names.
    if (std::string mapping = control::mapping_of_nodes(node_of_rank);
        mapping.size() < control::kPmiValueRoom)
        values_[control::kProcessMappingKey] = std::move(mapping);
}

UniqueFd PmiServer::open(int rank)
{
    auto [ours, theirs] =
        make_socket_pair(SOCK_STREAM, "cannot create a socket for a rank (raise ulimit -n)");
    loop_.watch(ours.get(), EPOLLIN, [this, rank](std::uint32_t) { read(rank); });
    ranks_[rank].socket = std::move(ours);
    return move_up(std::move(theirs));
}

void PmiServer::read_all()
{
    for (const auto& [number, rank] : ranks_)
        if (rank.socket)
            read(number);
}

void PmiServer::read(int number)
{
    Rank& rank = ranks_.at(number);
    std::array<char, 16384> bytes;
    for (int turn = 0; turn < kReadsATurn && rank.socket; ++turn) {
        const ssize_t got = ::recv(rank.socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0)
            return close(number);
        rank.unread.append(bytes.data(), static_cast<std::size_t>(got));
        take_lines(number);
    }
}

void PmiServer::take_lines(int number)
{
    Rank& rank = ranks_.at(number);
    std::size_t begin = 0;
    for (std::size_t end; rank.socket && (end = rank.unread.find('\n', begin)) != std::string::npos;
         begin = end + 1)
        take_line(number, std::string_view(rank.unread).substr(begin, end - begin));
    rank.unread.erase(0, begin);
    if (rank.socket && rank.unread.size() > control::kLongestPmiLine)
        take_line(number, rank.unread);
}

// A spawn has many lines: "mcmd=spawn" and others, some of which have blanks in their values, to "endcmd".
void PmiServer::take_line(int number, std::string_view text)
{
    Rank& rank = ranks_.at(number);
    const bool is_short = text.size() <= control::kLongestPmiLine;
    if (is_short && text.starts_with("mcmd=spawn")) {
        rank.spawns = true;
    } else if (is_short && rank.spawns) {
        if (!text.starts_with("endcmd"))
            return;
        rank.spawns = false;
        refuse(number, "spawn_result", "start further processes (MPI_Comm_spawn)");
    } else if (const auto line = is_short ? PmiLine::parse(text) : std::nullopt) {
        handle(number, *line);
    } else {
        events_.note(fmt::format(
            "rank {} has sent over PMI_FD what is no line of PMI-1, '{}'; its connection is closed", number,
            start_of(text)));
        close(number);
    }
}

void PmiServer::handle(int number, const PmiLine& line)
{
    const std::string& command = line.command();
    if (command == "init") {
        answer(number,
               PmiLine("response_to_init").with("pmi_version", 1).with("pmi_subversion", 1).with("rc", 0));
        events_.joined(number);
    } else if (command == "get_maxes") {
        answer(number, PmiLine("maxes")
                           .with("kvsname_max", 256)
                           .with("keylen_max", static_cast<int>(control::kPmiKeyRoom))
                           .with("vallen_max", static_cast<int>(control::kPmiValueRoom)));
    } else if (command == "get_appnum") {
        answer(number, PmiLine("appnum").with("appnum", program_of_rank_.at(number)));
    } else if (command == "get_my_kvsname") {
        answer(number, PmiLine("my_kvsname").with("kvsname", space_));
    } else if (command == "get_universe_size") {
        answer(number, PmiLine("universe_size").with("size", size_));
    } else if (command == "put") {
        put(number, line);
    } else if (command == "get") {
        get(number, line);
    } else if (command == "barrier_in") {
        enter_barrier(number);
    } else if (command == "finalize") {
        events_.left(number);
        answer(number, PmiLine("finalize_ack"));
    } else if (command == "abort") {
        events_.aborted(number, line.number("exitcode").value_or(1));
    } else if (command == "publish_name" || command == "unpublish_name" || command == "lookup_name") {
        refuse(number, command.substr(0, command.find('_')) + "_result", "publish and look up names");
    } else {
        refuse(number, command + "_result", "do more than meet (PMI-1 without its extensions)");
    }
}

void PmiServer::put(int number, const PmiLine& line)
{
    Rank& rank = ranks_.at(number);
    const std::string_view trouble = trouble_of_put(line, space_, rank.puts);
    if (trouble.empty()) {
        ++rank.puts;
        put_ += WireWriter().put(line.field("key")).put(line.field("value")).bytes();
    }
    answer(number, PmiLine("put_result")
                       .with("rc", trouble.empty() ? 0 : kFailed)
                       .with("msg", trouble.empty() ? "success" : trouble));
}

void PmiServer::get(int number, const PmiLine& line)
{
    const auto found = line.field("kvsname") == space_ ? values_.find(line.field("key")) : values_.end();
    if (found != values_.end())
        answer(number,
               PmiLine("get_result").with("rc", 0).with("msg", "success").with("value", found->second));
    else
        answer(
            number,
            PmiLine("get_result").with("rc", kFailed).with("msg", "key_not_found").with("value", "unknown"));
}

/// A library handles the failure as it likes; the user learns of the first one's cause here.
void PmiServer::refuse(int number, const std::string& result, const char* what)
{
    if (!std::exchange(ranks_.at(number).was_refused, true))
        events_.note(fmt::format("rank {} asks the launcher to {}, which tuttirun does not do for --mpi own",
                                 number, what));
    answer(number, PmiLine(result).with("rc", kFailed).with("msg", "not_supported_by_tuttirun"));
}

void PmiServer::enter_barrier(int number)
{
    if (std::exchange(ranks_.at(number).waits, true))
        return;
    const auto waiting = std::ranges::count_if(ranks_, [](const auto& entry) { return entry.second.waits; });
    if (static_cast<std::size_t>(waiting) == local_size_)
        events_.barrier(std::exchange(put_, {}),
                        [this](bool all_came, const std::string& data) { leave_barrier(all_came, data); });
}

// Where a rank of the job has ended before, the others would wait for ever: their libraries end them.
void PmiServer::leave_barrier(bool all_came, const std::string& data)
{
    for (WireReader reader(data); all_came && !reader.is_at_end();) {
        std::string key = reader.text();
        values_.insert_or_assign(std::move(key), reader.text());
    }
    for (auto& [number, rank] : ranks_) {
        if (!std::exchange(rank.waits, false))
            continue;
        if (all_came)
            answer(number, PmiLine("barrier_out").with("rc", 0));
        else
            close(number);
    }
}

// One question has one answer, and the socket room for many: a rank that takes none is not of PMI-1.
void PmiServer::answer(int number, const PmiLine& line)
{
    const std::string text = line.text();
    const UniqueFd& socket = ranks_.at(number).socket;
    if (socket && ::send(socket.get(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL) !=
                      static_cast<ssize_t>(text.size()))
        close(number);
}

void PmiServer::close(int number)
{
    const auto rank = ranks_.find(number);
    if (rank == ranks_.end() || !rank->second.socket)
        return;
    loop_.forget(rank->second.socket.get());
    rank->second.socket.reset();
}

}  // namespace tutti::launcher
