#include "launcher/profile/job_statistics.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "launcher/report/names.hpp"
#include "lib/foundation/base/quantity.hpp"

namespace tutti::launcher {

namespace {

using observe::Operation;

constexpr double kNsPerSecond = 1e9;
/// A rank is slow when it waits for less than this part of the mean of the others, and they wait for more
/// than this part of the time.
constexpr double kClearlyLess = 0.5;
constexpr double kWorthAWord = 0.02;

double seconds_of(std::int64_t ns) noexcept
{
    return static_cast<double>(ns) / kNsPerSecond;
}

/// Without its parameters, and without the words for a namespace that has no name.
std::string short_name(std::string function)
{
    constexpr std::string_view kUnnamed = "(anonymous namespace)::";
    for (std::size_t at = function.find(kUnnamed); at != std::string::npos; at = function.find(kUnnamed))
        function.erase(at, kUnnamed.size());
    return function.substr(0, function.find('('));
}

std::string place_of(const StackFrame& frame)
{
    if (frame.file.empty())
        return fmt::format("{} in {}", frame.function, frame.object.empty() ? "?" : frame.object);
    return fmt::format("{} at {}:{}", short_name(frame.function), frame.file, frame.line);
}

template <class Key, class Value>
std::vector<Value> by_time(std::map<Key, Value>&& found)
{
    std::vector<Value> list;
    for (auto& [key, value] : found)
        list.push_back(std::move(value));
    std::ranges::stable_sort(list, std::ranges::greater(), &Value::seconds);
    return list;
}

/// Of a thread beside the rank's own, which goes on meanwhile.
bool is_of_helper(const RankProfile::Calls& calls) noexcept
{
    return calls.operation == Operation::file_call &&
           (calls.signature == static_cast<std::uint64_t>(observe::FileCall::helper_read) ||
            calls.signature == static_cast<std::uint64_t>(observe::FileCall::helper_write));
}

/// Adds up what the ranks have.
class Sums {
public:
    explicit Sums(Statistics& result) : result_(result) {}

    void add(const RankProfile& profile, const std::string& host)
    {
        Statistics::Rank rank;
        rank.rank = profile.rank;
        rank.host = host;
        rank.left = profile.left;
        rank.seconds = seconds_of(profile.ended_ns - profile.joined_ns);
        double in_calls = seconds_of(profile.left_out_ns);
        rank.waiting = seconds_of(profile.left_out_waiting_ns);
        for (const RankProfile::Communicator& known : profile.communicators)
            names_[known.context] = known.name;
        for (const RankProfile::Calls& calls : profile.calls) {
            if (!is_of_helper(calls))
                in_calls += seconds_of(calls.ns);
            rank.waiting += seconds_of(calls.waiting_ns);
            add_calls(profile, calls);
        }
        // Several threads may be in calls at once.
        rank.waiting = std::min(rank.waiting, rank.seconds);
        rank.computing = std::max(0.0, rank.seconds - in_calls);
        for (const RankProfile::Peer& peer : profile.peers)
            add_peer(rank, peer);
        result_.left_out_calls += profile.left_out_calls;
        for (std::size_t i = 0; i < result_.protocols.size(); ++i) {
            result_.protocols[i].messages += profile.protocol_messages[i];
            result_.protocols[i].bytes += profile.protocol_bytes[i];
        }
        result_.ranks.push_back(std::move(rank));
    }

    void finish()
    {
        result_.operations = by_time(std::move(operations_));
        result_.lines = by_time(std::move(lines_));
        result_.choices = by_time(std::move(choices_));
        std::ranges::stable_sort(result_.pairs, std::ranges::greater(), &Statistics::Pair::all_bytes);
        for (Statistics::Rank& rank : result_.ranks)
            rank.awaited = awaited_[rank.rank];
    }

private:
    void add_calls(const RankProfile& profile, const RankProfile::Calls& calls)
    {
        const auto known = names_.find(calls.context & ~std::uint64_t{1});
        const std::string communicator =
            calls.operation == Operation::wait_any
                ? ""
                : communicator_in_words(calls.context, known != names_.end() ? known->second : "");
        const std::string name = name_of_operation(calls.operation, calls.signature);
        Statistics::Operation& operation = operations_[{name, calls.size_class, communicator}];
        operation.name = name;
        // The words of such a wait have the number of operations there.
        operation.size_class = calls.operation == Operation::wait_any ? 0 : calls.size_class;
        operation.communicator = communicator;
        operation.add(calls);
        if (calls.caller >= 0) {
            const std::string place = place_of(profile.callers[static_cast<std::size_t>(calls.caller)]);
            lines_[place].place = place;
            lines_[place].add(calls);
        }
        const std::string algorithm =
            calls.operation == Operation::collective ? name_of_algorithm(calls.signature) : "";
        if (algorithm.empty())
            return;
        const auto [entry, is_new] = choices_.try_emplace({name, algorithm});
        Statistics::Choice& choice = entry->second;
        choice.collective = name;
        choice.algorithm = algorithm;
        choice.least_class = is_new ? calls.size_class : std::min<int>(choice.least_class, calls.size_class);
        choice.most_class = std::max<int>(choice.most_class, calls.size_class);
        choice.add(calls);
    }

    void add_peer(Statistics::Rank& rank, const RankProfile::Peer& peer)
    {
        if (peer.rank >= result_.job_ranks)
            return;
        const double waited = seconds_of(peer.waited_ns);
        if (peer.rank >= 0) {
            awaited_[peer.rank] += waited;
            if (waited > rank.awaited_most_seconds) {
                rank.awaited_most = peer.rank;
                rank.awaited_most_seconds = waited;
            }
        }
        if (peer.sent + peer.collective_sent != 0)
            result_.pairs.push_back({rank.rank, peer.rank, peer.sent, peer.sent_bytes, peer.collective_sent,
                                     peer.collective_sent_bytes});
    }

    Statistics& result_;
    std::map<std::uint64_t, std::string> names_;
    std::map<std::tuple<std::string, int, std::string>, Statistics::Operation> operations_;
    std::map<std::string, Statistics::Line> lines_;
    std::map<std::pair<std::string, std::string>, Statistics::Choice> choices_;
    std::map<int, double> awaited_;
};

}  // namespace

void Statistics::Calls::add(const RankProfile::Calls& more)
{
    least = calls == 0 ? seconds_of(more.least_ns) : std::min(least, seconds_of(more.least_ns));
    most = std::max(most, seconds_of(more.most_ns));
    calls += more.calls;
    bytes += more.bytes;
    seconds += seconds_of(more.ns);
    waiting += seconds_of(more.waiting_ns);
}

Statistics Statistics::of(const std::vector<RankProfile>& profiles, const std::vector<std::string>& hosts)
{
    Statistics result;
    result.job_ranks = static_cast<int>(hosts.size());
    std::map<int, const RankProfile*> by_rank;
    for (const RankProfile& profile : profiles)
        if (profile.rank < result.job_ranks)
            by_rank[profile.rank] = &profile;
    Sums sums(result);
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> spans;  // hosts have different clocks
    for (int rank = 0; rank < result.job_ranks; ++rank) {
        const auto found = by_rank.find(rank);
        if (found == by_rank.end()) {
            result.missing.push_back(rank);
            continue;
        }
        const RankProfile& profile = *found->second;
        const std::string& host = hosts[static_cast<std::size_t>(rank)];
        auto [span, is_new] = spans.try_emplace(host, profile.joined_ns, profile.ended_ns);
        span->second.first = std::min(span->second.first, profile.joined_ns);
        span->second.second = std::max(span->second.second, profile.ended_ns);
        sums.add(profile, host);
    }
    for (const auto& [host, span] : spans)
        result.seconds = std::max(result.seconds, seconds_of(span.second - span.first));
    sums.finish();
    return result;
}

double Statistics::total(double Rank::*part) const noexcept
{
    double sum = 0;
    for (const Rank& rank : ranks)
        sum += rank.*part;
    return sum;
}

double Statistics::share(double Rank::*part) const noexcept
{
    const double all = total(&Rank::seconds);
    return all > 0 ? total(part) / all : 0;
}

double Statistics::imbalance() const noexcept
{
    const double sum = total(&Rank::computing);
    double most = 0;
    for (const Rank& rank : ranks)
        most = std::max(most, rank.computing);
    return sum > 0 ? most * static_cast<double>(ranks.size()) / sum : 1;
}

double Statistics::others_waiting(const Rank& but) const noexcept
{
    return ranks.size() > 1 ? (total(&Rank::waiting) - but.waiting) / static_cast<double>(ranks.size() - 1)
                            : 0;
}

const Statistics::Rank* Statistics::slow() const noexcept
{
    if (ranks.size() < 2)
        return nullptr;
    const auto least = std::ranges::min_element(ranks, std::ranges::less(), &Rank::waiting);
    const double others = others_waiting(*least);
    const bool clear = least->waiting < kClearlyLess * others && others > kWorthAWord * seconds;
    return clear ? &*least : nullptr;
}

std::string size_class_in_words(int size_class)
{
    if (size_class <= 1)
        return size_class == 0 ? "no data" : "1 B";
    const std::uint64_t least = std::uint64_t{1} << (size_class - 1);
    if (least < 1024)
        return fmt::format("{}-{} B", least, 2 * least - 1);
    return base::bytes_in_words(least) + " up";
}

std::string short_time(double seconds)
{
    if (seconds >= 60)
        return fmt::format("{:.4g} min", seconds / 60);
    if (seconds >= 1)
        return fmt::format("{:.3g} s", seconds);
    if (seconds >= 1e-3)
        return fmt::format("{:.3g} ms", seconds * 1e3);
    if (seconds >= 1e-6)
        return fmt::format("{:.3g} us", seconds * 1e6);
    return fmt::format("{:.0f} ns", seconds * 1e9);
}

std::string share_in_words(double share)
{
    const double percent = 100 * share;
    return percent > 0 && percent < 1 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

}  // namespace tutti::launcher
