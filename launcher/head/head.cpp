#include "launcher/head/head.hpp"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launcher/base/host_names.hpp"
#include "launcher/base/option_values.hpp"
#include "launcher/placement/mapping.hpp"
#include "launcher/ranks/launcher_signals.hpp"
#include "launcher/ranks/rank_environment.hpp"
#include "lib/foundation/base/terminal.hpp"

namespace tutti::launcher {

namespace {

/// For the agents that started the daemons to end after them.
constexpr std::chrono::milliseconds kAgentsTimeout{3000};
constexpr std::chrono::milliseconds kAgentsTimeoutAfterLoss{500};

/// A process that knows the name may claim to be a rank of the job, so nobody must guess it.
std::string make_job_name()
{
    std::random_device random;
    return fmt::format("tutti-{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

LaunchOrder make_order(const JobOptions& options, const JobMap& map, bool with_environment)
{
    LaunchOrder order;
    order.job_name = make_job_name();
    order.nodes = map.nodes;
    order.apps = options.apps;
    order.ranks = map.ranks;
    order.stdin_target = options.stdin_target;
    order.stdin_rank = options.stdin_rank;
    order.merge_stderr = options.output.merge_stderr;
    order.shows_status = base::reaches_terminal(STDERR_FILENO) && options.output.directory.empty();
    order.mpi = options.mpi;
    order.rank_variables = options.rank_variables;
    order.mpirun_variables = options.mpirun_variables;
    order.must_bind = options.binding != MachineLevel::automatic || options.cores_per_rank > 0;
    order.debugged = options.debug.ranks;
    order.reports_processes = options.verbosity > 0;
    if (with_environment) {
        order.environment = forwarded_environment(::environ);
        order.working_directory = std::filesystem::current_path();
    }
    return order;
}

}  // namespace

Head::Head(const JobOptions& options, HeadPlan plan, const InheritedState& inherited)
    : options_(options),
      plan_(std::move(plan)),
      signals_(open_launcher_signals(options.forward_signals)),
      writer_(std::make_unique<OutputWriter>(
          options.output, OutputWriter::Events{[this](int node, std::uint64_t bytes) {
                                                   loop_.post([this, node, bytes] {
                                                       send(node, FrameType::output_taken, encode(bytes));
                                                   });
                                               },
                                               [this](const char* where, int error_number) {
                                                   loop_.post([this, where, error_number] {
                                                       handle_write_failure(where, error_number);
                                                   });
                                               }})),
      children_(loop_, plan_.key, {security::Identity::Kind::head, 0}, inherited,
                {[this](const Frame& frame) { handle_frame(frame); },
                 [this](const MissingDaemons& report) { handle_not_started(report); },
                 [this](const MissingDaemons& report) { handle_lost(report); },
                 [this](const std::string& text, bool only_verbose) { handle_note(text, only_verbose); }}),
      policy_(plan_.hosts.size()),
      reporter_(loop_, options.hang_report_seconds.value_or(kHangReportSeconds), report_events()),
      status_socket_(loop_, [this](const std::string& question,
                                   const StatusSocket::Answer& answer) { answer_asker(question, answer); }),
      report_(options),
      profile_(options),
      trace_(options),
      clocks_(loop_, plan_.hosts.size(),
              [this](int node, std::int64_t now_ns) { send(node, FrameType::clock_wanted, encode(now_ns)); }),
      debuggers_(options, inherited, [this](const std::string& line) { say(line); })
{
    loop_.watch(signals_.get(), EPOLLIN, [this](std::uint32_t) { handle_signal(); });
}

void Head::say(const std::string& message)
{
    writer_->message("tuttirun: " + message + "\n");
}

int Head::run()
{
    if (options_.timeout_seconds > 0)
        loop_.after(std::chrono::duration<double>(options_.timeout_seconds), [this] { time_is_over(); });
    start_daemons();
    loop_.run();
    // The agent of a host that is gone may hang until it is killed.
    const bool any_lost = std::ranges::any_of(nodes_, &NodeState::lost);
    children_.finish(any_lost ? kAgentsTimeoutAfterLoss : kAgentsTimeout);
    close_down();
    return exit_status_.value_or(0);
}

void Head::start_daemons()
{
    if (plan_.hosts.size() > kMaxNodes) {
        throw UsageError(
            fmt::format("{} hosts are more than the {} that a job may have", plan_.hosts.size(), kMaxNodes));
    }
    for (const Host& host : plan_.hosts) {
        NodeState& state = nodes_.emplace_back();
        state.name = host.name;
        state.here = host.local;
    }
    children_.start({plan_.method, options_.interface, {}, -1, options_.daemon_timeout_seconds}, plan_.hosts,
                    std::move(plan_.local_daemon));
    children_.watch_for_silence(options_.daemon_timeout_seconds, kDaemonTimeoutOption);
    // This is done while ssh is under way, which takes far longer.
    for (NodeState& state : nodes_)
        if (state.here)
            state.topology = MachineTopology::detect();
    launch_when_complete();
}

void Head::handle_hello(int node, std::string_view payload)
{
    NodeState& state = state_of(node);
    const Hello hello = decode_hello(payload);
    state.topology = MachineTopology::from_wire(hello.topology);
    state.here = true;
    if (!options_.trace.empty())
        clocks_.begin(node);
    if (options_.verbosity > 1)
        say(fmt::format("the daemon on {} is there (pid {} on {})", state.name, hello.pid, hello.host_name));
    launch_when_complete();
}

JobMap Head::place_ranks()
{
    std::vector<MachineTopology> topologies;
    for (NodeState& node : nodes_)
        topologies.push_back(options_.cpu_set.empty()
                                 ? std::move(node.topology)
                                 : only_cores(node.topology, options_.cpu_set, node.name));
    JobMap map = map_job(options_, plan_.hosts, topologies);
    if (options_.display_map)
        writer_->message(describe_map(options_, map), Channel::standard_output);
    if (options_.report_bindings)
        writer_->message(describe_bindings(options_, map, topologies));
    return map;
}

void Head::launch_when_complete()
{
    if (map_ || exit_status_ || !std::ranges::all_of(nodes_, &NodeState::here))
        return;
    map_ = place_ranks();
    report_.placed(*map_);
    profile_.placed(*map_);
    debuggers_.check(*map_, plan_.hosts);
    if (!options_.output.directory.empty())
        writer_->open_files(static_cast<int>(map_->ranks.size()));
    if (!options_.not_set.empty() && !options_.quiet)
        say(fmt::format("-x hands on {}, which {} not set here; going on without", fmt::join(options_.not_set, ", "),
                        options_.not_set.size() == 1 ? "is" : "are"));
    if (options_.verbosity > 0) {
        if (!options_.settings_files.empty())
            say(fmt::format("settings are those of {} (tutti-info --config shows them)",
                            fmt::join(options_.settings_files, ", ")));
        if (!options_.without_effect.empty())
            say(fmt::format("without effect here: {} (tuttirun --help has what is used instead)",
                            fmt::join(options_.without_effect, ", ")));
        std::vector<std::string> names;
        for (const NodeState& node : nodes_)
            names.push_back(node.name);
        say(fmt::format("starting {} ranks of {} on {}", map_->ranks.size(),
                        options_.apps.front().argv.front(), hosts_in_words(names)));
    }
    fences_ =
        std::make_unique<FenceCollector>(*map_, [this](const std::set<int>& nodes, const FenceFrame& done) {
            const std::string payload = encode(done);
            if (nodes.size() == nodes_.size()) {
                broadcast(FrameType::fence_done, payload);
                return;
            }
            for (const int node : nodes)
                send(node, FrameType::fence_done, payload);
        });
    const bool any_remote = std::ranges::any_of(plan_.hosts, [](const Host& host) { return !host.local; });
    broadcast(FrameType::launch, encode(make_order(options_, *map_, any_remote)));
    start_input();
    std::set<int> nodes_with_ranks;
    for (const RankPlacement& placement : map_->ranks)
        nodes_with_ranks.insert(placement.node);
    reporter_.begin(std::move(nodes_with_ranks));
}

void Head::start_input()
{
    if (options_.stdin_target == StdinTarget::none)
        return;
    const bool for_all = options_.stdin_target == StdinTarget::all;
    const int rank = for_all ? kAllRanks : options_.stdin_rank;
    int target = kAllNodes;
    if (!for_all) {
        target = map_->ranks.at(static_cast<std::size_t>(rank)).node;
        input_window_.add_reader(target);
    } else {
        for (std::size_t node = 0; node < nodes_.size(); ++node)
            input_window_.add_reader(static_cast<int>(node));
    }
    input_ = std::make_unique<InputReader>(loop_, [this, rank, target](std::string_view bytes) {
        send(target, FrameType::stdin_data, WireWriter().put(std::int32_t{rank}).put_rest(bytes).bytes());
    });
}

void Head::handle_frame(const Frame& frame)
{
    if (handle_daemon(frame))
        return;
    if (!map_)
        throw WireError("a frame about a job that has not begun");
    if (!handle_data(frame) && !handle_rank(frame))
        throw WireError("a frame that only a head sends");
}

// What daemons say of themselves, also before the job has begun. False: the frame is about something else.
bool Head::handle_daemon(const Frame& frame)
{
    const int node = frame.node;
    const std::string_view payload = frame.payload;
    switch (frame.type) {
        case FrameType::hello:
            handle_hello(node, payload);
            return true;
        case FrameType::not_started:
            handle_not_started(decode<MissingDaemons>(payload));
            return true;
        case FrameType::daemons_lost:
            handle_lost(decode<MissingDaemons>(payload));
            return true;
        case FrameType::end_requested:
            carry_out(policy_.daemon_must_end(state_of(node).name, decode<int>(payload)));
            return true;
        case FrameType::note: {
            const auto [only_verbose, text] = decode<bool, std::string>(payload);
            handle_note(text, only_verbose);
            return true;
        }
        case FrameType::clock_reading: {
            const auto [asked_ns, there_ns] = decode<std::int64_t, std::int64_t>(payload);
            clocks_.answered(node, asked_ns, there_ns);
            return true;
        }
        default:
            return false;
    }
}

// What ranks write, read, exchange and record. False: the frame is about something else.
bool Head::handle_data(const Frame& frame)
{
    const int node = frame.node;
    const std::string_view payload = frame.payload;
    switch (frame.type) {
        case FrameType::output:
            handle_output(node, payload);
            return true;
        case FrameType::profile:
            profile_.add(node, payload);
            state_of(node).profile_came = EventLoop::Clock::now();
            send(node, FrameType::profile_taken, encode(std::uint64_t{payload.size()}));
            return true;
        case FrameType::stdin_taken:
            if (input_)
                input_->taken(input_window_.taken(node, decode<std::uint64_t>(payload)));
            return true;
        case FrameType::fence:
            fences_->add(node, decode<FenceFrame>(payload));
            return true;
        case FrameType::modex_request:
            handle_modex_request(frame);
            return true;
        case FrameType::modex_answer:
            send(decode<ModexAnswer>(payload).asker, FrameType::modex_found, payload);
            return true;
        default:
            return false;
    }
}

// What becomes of ranks, and what they do. False: the frame is about something else.
bool Head::handle_rank(const Frame& frame)
{
    const int node = frame.node;
    const std::string_view payload = frame.payload;
    switch (frame.type) {
        case FrameType::start_failed: {
            const auto [rank, error_number, what] = decode<int, int, std::string>(payload);
            carry_out(policy_.rank_not_started(rank, node_name_of(rank), error_number, what));
            return true;
        }
        case FrameType::joined:
            any_joined_ = true;
            carry_out(policy_.rank_joined());
            return true;
        case FrameType::exited:
            handle_exit(decode<ExitReport>(payload));
            return true;
        case FrameType::aborted: {
            const auto report = decode<AbortReport>(payload);
            carry_out(policy_.rank_aborted(report, node_name_of(report.rank)));
            return true;
        }
        case FrameType::quiet:
            reporter_.node_is_quiet(node, decode<bool>(payload));
            return true;
        case FrameType::status_report:
            reporter_.answered(node, decode<NodeReport>(payload));
            return true;
        case FrameType::rank_report: {
            const auto [question, rank, text] = decode<std::uint32_t, int, std::string>(payload);
            reporter_.rank_answered(question, rank, text);
            return true;
        }
        case FrameType::debug_server: {
            const auto server = decode<DebugServer>(payload);
            debuggers_.attach(server, node_name_of(server.rank));
            return true;
        }
        case FrameType::all_exited:
            state_of(node).all_exited = true;
            check_for_the_end();
            return true;
        case FrameType::bye:
            state_of(node).said_bye = true;
            check_for_the_end();
            return true;
        default:
            return false;
    }
}

void Head::handle_output(int node, std::string_view payload)
{
    WireReader reader(payload);
    const auto rank = reader.number<std::int32_t>();
    const auto channel = reader.number<std::uint8_t>();
    if (channel != static_cast<std::uint8_t>(Channel::standard_output) &&
        channel != static_cast<std::uint8_t>(Channel::standard_error))
        throw WireError("output of a stream that does not exist");
    writer_->write(node, {placement_of(rank).rank, static_cast<Channel>(channel)}, reader.rest());
}

void Head::handle_modex_request(const Frame& frame)
{
    const ModexRequest request = decode<ModexRequest>(frame.payload);
    send(placement_of(request.rank).node, FrameType::modex_wanted, frame.payload);
}

void Head::handle_exit(const ExitReport& report)
{
    const std::string& host = node_name_of(report.rank);
    if (options_.verbosity > 1) {
        say(fmt::format("rank {} (pid {}, on {}) has ended with wait status {}", report.rank, report.pid,
                        host, report.wait_status));
    }
    if (!report.ended_well())
        broadcast(FrameType::rank_died, encode(report.rank, WIFSIGNALED(report.wait_status)));
    report_.rank_ended(report);
    carry_out(policy_.rank_exited(report, host));
    fences_->rank_ended(report.rank);
}

Head::NodeState& Head::state_of(int node)
{
    if (node < 0 || static_cast<std::size_t>(node) >= nodes_.size())
        throw WireError("a report of a node that does not exist");
    return nodes_[static_cast<std::size_t>(node)];
}

const RankPlacement& Head::placement_of(int rank) const
{
    if (rank < 0 || static_cast<std::size_t>(rank) >= map_->ranks.size())
        throw WireError("a report of a rank that does not exist, or a question about it");
    return map_->ranks[static_cast<std::size_t>(rank)];
}

const std::string& Head::node_name_of(int rank) const
{
    return map_->nodes[static_cast<std::size_t>(placement_of(rank).node)].name;
}

void Head::handle_note(const std::string& text, bool only_verbose)
{
    if (!only_verbose || options_.verbosity > 0)
        say(text);
}

void Head::broadcast(FrameType type, std::string_view payload)
{
    children_.send({type, kAllNodes, payload});
}

void Head::send(int node, FrameType type, std::string_view payload)
{
    children_.send({type, static_cast<std::uint16_t>(node), payload});
}

}  // namespace tutti::launcher
