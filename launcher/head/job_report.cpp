#include "launcher/head/job_report.hpp"

#include <sys/wait.h>

#include <cstring>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "launcher/base/host_names.hpp"
#include "lib/foundation/base/date_time.hpp"

namespace tutti::launcher {

namespace {

using nlohmann::ordered_json;
using SystemTime = std::chrono::system_clock::time_point;

/// As ISO 8601 has it, in UTC.
std::string timestamp(SystemTime time)
{
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch());
    return fmt::format("{}.{:03}Z", base::utc_text(std::chrono::system_clock::to_time_t(time), "%FT%T"),
                       milliseconds.count() % 1000);
}

std::string outcome_of(const ExitReport& report)
{
    // A rank that crashes may be ended with the job before it has done so.
    const int signal = report.crash.signal > 0           ? report.crash.signal
                       : WIFSIGNALED(report.wait_status) ? WTERMSIG(report.wait_status)
                                                         : 0;
    if (signal > 0)
        return fmt::format("killed by signal {} ({})", signal,
                           report.crash.was_for_memory() ? report.crash.reason.c_str() : ::strsignal(signal));
    if (WEXITSTATUS(report.wait_status) == 0 && !report.ended_well())
        return "exited with status 0 without leaving the job";
    return fmt::format("exited with status {}", WEXITSTATUS(report.wait_status));
}

ordered_json stack_of(const CrashReport& place)
{
    ordered_json stack = ordered_json::array();
    for (const StackFrame& frame : place.frames) {
        ordered_json& entry = stack.emplace_back(ordered_json{{"function", frame.function}});
        if (!frame.file.empty()) {
            entry["file"] = frame.file;
            entry["line"] = frame.line;
        }
        entry["object"] = frame.object;
        entry["of_user"] = frame.of_user;
    }
    return stack;
}

}  // namespace

JobReport::JobReport(const JobOptions& options)
    : options_(options), file_("--report-json", options.report_json)
{
}

void JobReport::placed(const JobMap& map)
{
    for (const Node& node : map.nodes)
        node_names_.push_back(node.name);
    for (const RankPlacement& placement : map.ranks)
        node_of_rank_.push_back(placement.node);
}

void JobReport::ends_by(const Verdict& verdict)
{
    if (!cause_)
        cause_ = verdict;
}

std::vector<std::string> JobReport::hosts_of(const std::vector<int>& ranks) const
{
    std::set<int> nodes;
    for (const int rank : ranks)
        nodes.insert(node_of_rank_.at(static_cast<std::size_t>(rank)));
    std::vector<std::string> names;
    for (const int node : nodes)
        names.push_back(node_names_.at(static_cast<std::size_t>(node)));
    return names;
}

std::string JobReport::died_alike() const
{
    if (!cause_ || (cause_->place.signal == 0 && !cause_->place.was_for_memory()))
        return {};
    std::vector<int> ranks;
    for (const auto& [rank, report] : ends_)
        if (rank != cause_->rank && alike(report.crash, cause_->place))
            ranks.push_back(rank);
    if (ranks.empty())
        return {};
    return fmt::format("rank{} {} (on {}) died alike", ranks.size() == 1 ? "" : "s", format_cpu_list(ranks),
                       hosts_in_words(hosts_of(ranks)));
}

std::map<std::string, std::vector<int>> JobReport::outcomes() const
{
    std::map<std::string, std::vector<int>> result;
    for (int rank = 0; rank < static_cast<int>(node_of_rank_.size()); ++rank) {
        const auto end = ends_.find(rank);
        result[end == ends_.end() ? "unknown" : outcome_of(end->second)].push_back(rank);
    }
    return result;
}

std::string JobReport::to_json(int exit_status) const
{
    const SystemTime ended = std::chrono::system_clock::now();
    ordered_json programs = ordered_json::array();
    for (const AppContext& app : options_.apps)
        programs.push_back(app.argv);
    ordered_json document{{"tutti", kVersion},
                          {"programs", programs},
                          {"ranks", node_of_rank_.size()},
                          {"hosts", node_names_},
                          {"started", timestamp(started_)},
                          {"ended", timestamp(ended)},
                          {"seconds", std::chrono::duration<double>(ended - started_).count()},
                          {"exit_status", exit_status},
                          {"cause", nullptr}};
    if (cause_) {
        ordered_json& cause = document["cause"];
        cause["kind"] = cause_->kind;
        cause["message"] = cause_->line.substr(0, cause_->line.find('\n'));
        if (cause_->rank >= 0) {
            cause["rank"] = cause_->rank;
            cause["host"] = cause_->host;
        }
        if (cause_->signal > 0) {
            cause["signal"] = cause_->signal;
            const char* const name = ::sigabbrev_np(cause_->signal);
            cause["signal_name"] = name == nullptr ? std::string() : std::string("SIG") + name;
        }
        if (!cause_->place.reason.empty())
            cause["reason"] = cause_->place.reason;
        if (!cause_->place.last_call.empty())
            cause["last_call"] = cause_->place.last_call;
        cause["stack"] = stack_of(cause_->place);
        if (!cause_->place.missing.empty())
            cause["stack_missing"] = cause_->place.missing;
    }
    ordered_json& list = document["outcomes"] = ordered_json::array();
    for (const auto& [outcome, ranks] : outcomes())
        list.push_back({{"outcome", outcome},
                        {"count", ranks.size()},
                        {"ranks", format_cpu_list(ranks)},
                        {"hosts", hosts_of(ranks)}});
    // Names of files and arguments need not be UTF-8.
    return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

void JobReport::write(const std::string& json) const
{
    if (file_.is_wanted())
        file_.write([&json](std::ostream& out) { out << json; });
}

}  // namespace tutti::launcher
