#include "launcher/doctor/doctor.hpp"

#include <signal.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "launcher/base/host_names.hpp"
#include "launcher/doctor/fold.hpp"
#include "launcher/hosts/hosts.hpp"
#include "launcher/ranks/launcher_signals.hpp"
#include "lib/foundation/base/say.hpp"

namespace tutti::launcher::doctor {
namespace {

using std::chrono::milliseconds;

/// Looking up names may take long; the other answers come soon.
constexpr milliseconds kFactsTimeout{30000};
constexpr milliseconds kClockTimeout{5000};
constexpr milliseconds kProbeTimeout{30000};
/// On top of the time that the commands that start daemons have.
constexpr milliseconds kHelloTimeout{10000};
constexpr milliseconds kHangUpTimeout{3000};
/// With more hosts each pair is probed in one direction only.
constexpr std::size_t kBothWaysHosts = 16;
}  // namespace

Doctor::Doctor(const JobOptions& options, const std::vector<Host>& hosts, StartMethod method,
               const security::Key& key, UniqueFd local_daemon, const InheritedState& inherited)
    : options_(options),
      job_hosts_(hosts),
      in_full_(options.json || options.verbosity > 0 || hosts.size() <= kHostsInFull),
      method_(std::move(method)),
      signals_(open_launcher_signals({})),
      local_daemon_(std::move(local_daemon)),
      children_(loop_, key, {security::Identity::Kind::head, 0}, inherited,
                {[this](const Frame& frame) { handle_frame(frame); },
                 [this](const MissingDaemons& report) { handle_missing(report); },
                 [this](const MissingDaemons& report) { handle_missing(report); },
                 [this](const std::string& text, bool only_verbose) {
                     if (!only_verbose || options_.verbosity > 0)
                         base::say(fmt::format("tuttirun: {}\n", text));
                 }})
{
    loop_.watch(signals_.get(), EPOLLIN, [this](std::uint32_t) {
        for (const int signal : read_signals(signals_)) {
            if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT) {
                status_ = 128 + signal;
                loop_.stop();
            }
        }
    });
}

int Doctor::run()
{
    show(judge_scheduler());
    start();
    loop_.run();
    show_pending();
    if (options_.json) {
        std::vector<std::string> names;
        for (const HostState& host : hosts_)
            names.push_back(host.name);
        fmt::print("{}", findings_.to_json(names, complete_));
    }
    children_.finish(kHangUpTimeout);
    return status_;
}

void Doctor::start()
{
    started_ = Clock::now();
    for (const Host& host : job_hosts_) {
        hosts_.push_back({host.name, host.local});
        hosts_.back().here = host.local;
        hosts_.back().waiting = !host.local;
        if (host.local)
            show(good(host.name + ": this host").about("start", {host.name}));
    }
    children_.start({method_, options_.interface, {}, -1, 0}, job_hosts_, std::move(local_daemon_));
    wait_then(std::chrono::duration<double>(method_.timeout_seconds) + kHelloTimeout,
              [this] { ask_for_facts(); });
}

void Doctor::handle_frame(const Frame& frame)
{
    const int node = frame.node;
    HostState& host = hosts_.at(static_cast<std::size_t>(node));
    if (frame.type == FrameType::not_started || frame.type == FrameType::daemons_lost) {
        handle_missing(decode<MissingDaemons>(frame.payload));
    } else if (host.gone) {
        return;  // it is too late
    } else if (frame.type == FrameType::hello) {
        const std::chrono::duration<double> taken = Clock::now() - started_;
        host.here = true;
        host.waiting = false;
        show(good(fmt::format("{}: the daemon is there after {:.2f} s, by {}", host.name, taken.count(),
                              method_.agent.front()))
                 .alike_as("the daemons are there after {} s or less, by " + method_.agent.front(),
                           taken.count())
                 .about("start", {host.name}, {{"start_s", taken.count()}}));
        continue_when_done();
    } else if (frame.type == FrameType::doctor_report) {
        handle_report(node, frame.payload);
    }
}

void Doctor::handle_report(int node, std::string_view payload)
{
    HostState& host = hosts_[static_cast<std::size_t>(node)];
    WireReader reader(payload);
    switch (decode_kind(reader)) {
        case Kind::facts:
            host.facts = decode<Facts>(reader.rest());
            host.has_facts = true;
            break;
        case Kind::clock:
            handle_clock(node, reader.number<std::int64_t>());
            break;
        case Kind::probe: {
            const ProbeResult result = decode<ProbeResult>(reader.rest());
            const HostState& peer = hosts_.at(static_cast<std::size_t>(result.peer));
            const Finding finding = judge_probe(host.name, host.facts, peer.name, peer.facts, result);
            if (finding.level == Severity::good && !in_full_)
                probes_.add(host.name, peer.name, result);
            else
                show(finding);
            break;
        }
    }
    host.waiting = false;
    continue_when_done();
}

void Doctor::handle_missing(const MissingDaemons& report)
{
    for (const int node : report.nodes) {
        HostState& host = hosts_.at(static_cast<std::size_t>(node));
        host.gone = true;
        host.here = false;
        host.waiting = false;
    }
    const std::vector<std::string> names = names_of(report.nodes);
    show(failure(report.reason, "")
             .alike_as(names.size() == 1 ? for_any_host(report.reason, names.front()) : "")
             .about("start", names));
    continue_when_done();
}

/// The other clock was read at some moment of the round trip: half of that is the error.
void Doctor::handle_clock(int node, std::int64_t remote_ns)
{
    const auto now = std::chrono::system_clock::now();
    const double error = std::chrono::duration<double>(now - asked_clock_).count() / 2;
    const std::chrono::nanoseconds middle = (asked_clock_ + (now - asked_clock_) / 2).time_since_epoch();
    const HostState& host = hosts_[static_cast<std::size_t>(node)];
    if (!host.local)
        show(judge_clock(host.name, static_cast<double>(remote_ns - middle.count()) / 1e9, error));
}

std::vector<int> Doctor::present() const
{
    std::vector<int> nodes;
    for (int node = 0; node < static_cast<int>(hosts_.size()); ++node)
        if (hosts_[static_cast<std::size_t>(node)].here)
            nodes.push_back(node);
    return nodes;
}

void Doctor::ask_for_facts()
{
    show_pending();
    FactsTask task{options_.interface, {}};
    for (const HostState& host : hosts_)
        task.names.push_back(host.name);
    for (const int node : present())
        send(node, encode_with_kind(task));
    wait_then(kFactsTimeout, [this] { judge_facts(); });
}

void Doctor::judge_facts()
{
    const bool several = hosts_.size() > 1;
    const auto first = std::ranges::find_if(hosts_, &HostState::has_facts);
    for (const int node : present()) {
        const HostState& host = hosts_[static_cast<std::size_t>(node)];
        if (!host.has_facts)
            continue;
        std::vector<Finding> findings = judge_host(host.name, host.facts, first->facts, several);
        if (several) {
            const std::vector<Finding> names = judge_names(host.name, host.facts);
            findings.insert(findings.end(), names.begin(), names.end());
        }
        const auto twin = std::ranges::find_if(hosts_, [&](const HostState& other) {
            return other.has_facts && other.facts.boot_id == host.facts.boot_id;
        });
        if (twin->name != host.name && !host.facts.boot_id.empty())
            findings.push_back(judge_same_machine(host.name, twin->name));
        for (const Finding& finding : findings)
            show(finding);
    }
    ask_for_clocks();
}

void Doctor::ask_for_clocks()
{
    show_pending();
    asked_clock_ = std::chrono::system_clock::now();
    for (const int node : present())
        send(node, encode(Kind::clock));
    std::vector<int> reachable = present();
    std::erase_if(reachable, [this](int node) {
        return hosts_[static_cast<std::size_t>(node)].facts.addresses.empty();
    });
    const bool both = reachable.size() <= kBothWaysHosts;
    if (!both)
        show(note_one_way_probes(reachable.size()));
    rounds_ = tournament(reachable, both);
    std::ranges::reverse(rounds_);
    wait_then(kClockTimeout, [this] {
        show_pending();
        ask_next_round();
    });
}

void Doctor::ask_next_round()
{
    if (rounds_.empty()) {
        finish();
        return;
    }
    const std::vector<std::pair<int, int>> pairs = std::move(rounds_.back());
    rounds_.pop_back();
    for (const auto& [from, to] : pairs)
        ask_pair(from, to);
    wait_then(kProbeTimeout, [this] { ask_next_round(); });
}

void Doctor::ask_pair(int from, int to)
{
    const HostState& one = hosts_[static_cast<std::size_t>(from)];
    const HostState& other = hosts_[static_cast<std::size_t>(to)];
    if (one.here && other.here)
        send(from,
             encode_with_kind(ProbeTask{to, other.name, other.facts.addresses, other.facts.probe_port}));
}

void Doctor::finish()
{
    if (!probes_.empty())
        show(probes_.finding());
    show_pending();
    if (!options_.json)
        fmt::print("{}\n", findings_.summary());
    complete_ = true;
    status_ = findings_.count(Severity::failure) > 0 ? 1 : 0;
    loop_.stop();
}

void Doctor::send(int node, const std::string& payload)
{
    hosts_[static_cast<std::size_t>(node)].waiting = true;
    children_.send({FrameType::doctor_task, static_cast<std::uint16_t>(node), payload});
}

void Doctor::wait_then(std::chrono::duration<double> timeout, std::function<void()> next)
{
    next_ = std::move(next);
    timer_ = loop_.after_awake(timeout, [this, timeout] {
        for (HostState& host : hosts_) {
            if (std::exchange(host.waiting, false)) {
                // What it says later would be taken for the answer to another question.
                host.here = false;
                host.gone = true;
                show(failure(fmt::format("{}: no answer within {} s", host.name, timeout.count()),
                             "is the host overloaded, or stopped?")
                         .about("answer", {host.name}));
            }
        }
        continue_when_done();
    });
    loop_.post([this] { continue_when_done(); });
}

void Doctor::continue_when_done()
{
    if (!next_ || std::ranges::any_of(hosts_, &HostState::waiting))
        return;
    loop_.cancel(timer_);
    std::exchange(next_, nullptr)();
}

void Doctor::show(Finding finding)
{
    if (in_full_)
        print(finding);
    else
        pending_.push_back(finding);
    findings_.add(std::move(finding));
}

void Doctor::show_pending()
{
    for (const Finding& finding : fold(std::exchange(pending_, {})))
        print(finding);
}

void Doctor::print(const Finding& finding) const
{
    if (options_.json || (finding.level == Severity::good && options_.quiet))
        return;
    fmt::print("{}", format(finding));
    std::fflush(stdout);
}

std::vector<std::string> Doctor::names_of(const std::vector<int>& nodes) const
{
    std::vector<std::string> names;
    for (const int node : nodes)
        names.push_back(hosts_.at(static_cast<std::size_t>(node)).name);
    return names;
}

std::vector<std::vector<std::pair<int, int>>> tournament(std::vector<int> members, bool both)
{
    std::vector<std::vector<std::pair<int, int>>> rounds;
    if (members.size() % 2 != 0)
        members.push_back(-1);  // its partner has a pause
    // The first member stays, the others move by one place each round: all meet once.
    for (std::size_t round = 1; round < members.size(); ++round) {
        std::vector<std::pair<int, int>> pairs;
        std::vector<std::pair<int, int>> back;
        for (std::size_t i = 0; i < members.size() / 2; ++i) {
            const int one = members[i];
            const int other = members[members.size() - 1 - i];
            if (one >= 0 && other >= 0) {
                pairs.emplace_back(one, other);
                back.emplace_back(other, one);
            }
        }
        rounds.push_back(std::move(pairs));
        if (both)
            rounds.push_back(std::move(back));
        std::rotate(members.begin() + 1, members.end() - 1, members.end());
    }
    return rounds;
}

}  // namespace tutti::launcher::doctor
