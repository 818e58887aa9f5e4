// How a daemon starts its ranks.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launcher/base/descriptors.hpp"
#include "launcher/daemon/daemon.hpp"
#include "launcher/ranks/heap_preload.hpp"
#include "launcher/ranks/mpi_programs.hpp"
#include "launcher/ranks/rank_variables.hpp"
#include "launcher/ranks/session_directory.hpp"
#include "launcher/ranks/suppressions.hpp"
#include "lib/foundation/base/terminal.hpp"
#include "lib/foundation/control/channel.hpp"
#include "lib/foundation/control/job_description.hpp"

namespace tutti::launcher {

namespace {

constexpr const char* kNoPipe = "cannot create a pipe for a rank";

/// How many open files this process needs for its ranks.
int descriptors_for(const LaunchOrder& order, const std::vector<int>& local)
{
    constexpr int kWhileOneStarts = 10;                   // the rank's ends of pipes and channel, and copies
    const int a_rank = 3 + (order.merge_stderr ? 0 : 1) +  // output, pidfd, control channel
                       (order.mpi == MpiLibraries::own ? 1 : 0);
    const bool input_for_all = order.stdin_target == StdinTarget::all;
    const auto ranks = static_cast<int>(local.size());
    return kWhileOneStarts + ranks * a_rank + (input_for_all ? ranks : 1);
}

std::string describe_job_to_ranks(const LaunchOrder& order, const security::Key& key)
{
    control::JobDescription job{key.to_hex(), {}, {}};
    for (const Node& node : order.nodes)
        job.hosts.push_back(node.name);
    for (const RankPlacement& placement : order.ranks)
        job.node_of_rank.push_back(placement.node);
    return job.to_text();
}

/// A port of this host that nobody uses. While `socket` is open no other process is given it; gdbserver,
/// which asks for it by number and shares addresses as this does, may listen there.
struct ReservedPort {
    UniqueFd socket;
    int number = 0;
};

ReservedPort reserve_port()
{
    UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int yes = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    if (!socket || ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), bytes) != 0 ||
        ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &bytes) != 0)
        throw std::system_error(errno, std::generic_category(), "no port for gdbserver");
    return {std::move(socket), ntohs(address.sin_port)};
}

std::vector<std::string> below_gdbserver(int port, const std::string& program,
                                         const std::vector<std::string>& argv)
{
    std::vector<std::string> words = {"gdbserver", "--once", fmt::format("127.0.0.1:{}", port), program};
    words.insert(words.end(), argv.begin() + 1, argv.end());
    return words;
}

std::string find_gdbserver(const std::string& search_path)
{
    try {
        return find_program("gdbserver", search_path, {});
    } catch (const SpawnError& error) {
        throw SpawnError{
            error.error_number,
            "--debug needs gdbserver, which is not in PATH there; install it (Debian: the package "
            "gdbserver; Fedora: gdb-gdbserver)"};
    }
}

std::string search_path_of(const RankEnvironment& environment)
{
    const auto path = environment.find("PATH");
    return path == environment.end() ? "" : path->second;
}

std::string program_of(const AppContext& app, const RankEnvironment& environment)
{
    struct stat status {};
    if (!app.working_directory.empty() && ::stat(app.working_directory.c_str(), &status) != 0)
        throw SpawnError{errno, "cannot use the working directory " + app.working_directory};
    return find_program(app.argv.front(), search_path_of(environment), app.working_directory);
}

/// Both ends of a rank's standard streams. Output may share a pipe, and input be nothing.
struct RankStreams {
    UniqueFd rank_in, rank_out, rank_err;
    UniqueFd in, out, err;

    RankStreams(const LaunchOrder& order, int rank)
    {
        std::tie(out, rank_out) = make_pipe(kNoPipe);
        if (!order.merge_stderr)
            std::tie(err, rank_err) = make_pipe(kNoPipe);
        if (order.stdin_target == StdinTarget::all ||
            (order.stdin_target == StdinTarget::rank && order.stdin_rank == rank))
            std::tie(rank_in, in) = make_pipe(kNoPipe);
        else
            rank_in.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        if (!rank_in)
            throw std::system_error(errno, std::generic_category(), "cannot open /dev/null");
    }
    int stderr_of_rank() const noexcept { return err ? rank_err.get() : rank_out.get(); }
};

}  // namespace

/// Ranks on other hosts start in the head's working directory.
void Daemon::enter_working_directory(const LaunchOrder& order)
{
    if (::chdir(order.working_directory.c_str()) != 0) {
        throw std::runtime_error(
            fmt::format("cannot use the working directory {}: {}; create it on this host, or "
                        "name one that all hosts have by --wdir",
                        order.working_directory, std::strerror(errno)));
    }
}

void Daemon::launch(LaunchOrder order)
{
    launched_ = true;
    processes_.resize(order.ranks.size());
    observer_.expect(order.ranks_of(identity_.node));
    if (order.ranks_of(identity_.node).empty()) {
        check_for_the_end();
        return;
    }
    order_ = std::move(order);
    if (why_no_pmix_.empty())
        pmix_->register_job(*order_, identity_.node, identity_.key.to_hex());
    else
        pmix_ready();
}

/// Also called when the server is lost; the ranks cannot start then.
void Daemon::pmix_ready()
{
    const std::optional<LaunchOrder> order = std::exchange(order_, std::nullopt);
    if (order && !why_no_pmix_.empty())
        start_failed(order->ranks_of(identity_.node).front(), {0, why_no_pmix_});
    else if (order && !ending_)
        start_ranks(*order);
    for (const auto& [type, payload] : std::exchange(early_, {}))
        handle_own({type, static_cast<std::uint16_t>(identity_.node), payload});
    check_for_the_end();
}

/// Makes this host ready for its ranks.
void Daemon::prepare_host(const LaunchOrder& order, const std::vector<int>& local)
{
    if (identity_.hello) {
        enter_working_directory(order);
        // The head's values go before those of this host.
        for (const std::string& entry : order.environment)
            set_entry(base_environment_, entry);
    }
    require_open_files(descriptors_for(order, local),
                       fmt::format("starting {} rank{} here", local.size(), local.size() == 1 ? "" : "s"));
    control_.set_job(describe_job_to_ranks(order, identity_.key));
    pmi_.set_job(order, identity_.node);
    mpi_ = order.mpi;
    if (const std::string folder = facade_folder(); order.mpi != MpiLibraries::own && !folder.empty())
        note(true,
             fmt::format("programs that were linked with Open MPI or MPICH find Tutti's libraries in {} "
                         "(--mpi own: theirs)",
                         folder));
}

Daemon::LocalProgram Daemon::prepare_program(const LaunchOrder& order, const AppContext& app,
                                             std::size_t local_ranks)
{
    LocalProgram program{.path = {}, .environment = base_environment_};
    RankEnvironment& environment = program.environment;
    for (const auto& [name, value] : app.environment)
        environment[name] = value;
    environment["TUTTI_LOCAL_SIZE"] = std::to_string(local_ranks);
    // Ranks that share cores must not spin while they wait. Only the launcher sees all masks and quotas. The
    // user's own setting wins.
    const bool shared = order.nodes[static_cast<std::size_t>(identity_.node)].shares_cores;
    environment.try_emplace("TUTTI_SHARED_CORES", shared ? "1" : "0");
    // Python keeps back what goes into a pipe: it would come late, and not at all from a rank that MPI_Abort
    // or a signal ends.
    environment.try_emplace("PYTHONUNBUFFERED", "1");
    add_suppressions(environment, listable_path(suppressions_folder(), session_directory_));
    program.path = program_of(app, environment);
    offer_facades(environment, order.mpi, program.path, session_directory_);
    program.has_heap = preload_heap(environment, program.path, session_directory_);
    return program;
}

void Daemon::start_ranks(const LaunchOrder& order)
{
    const std::vector<int> local = order.ranks_of(identity_.node);
    int starting = local.front();
    try {
        prepare_host(order, local);
        std::map<int, LocalProgram> programs;  // by their number in the order
        for (const int rank : local) {
            starting = rank;
            const RankPlacement& placement = order.ranks[static_cast<std::size_t>(rank)];
            const auto [entry, is_new] = programs.try_emplace(placement.app);
            LocalProgram& program = entry->second;
            if (is_new)
                program =
                    prepare_program(order, order.apps[static_cast<std::size_t>(placement.app)], local.size());
            if (order.ranks.size() > 1)
                programs_[rank] = program.path;
            start_rank(order, placement, program);
        }
        const auto has_heap = [](const auto& entry) { return entry.second.has_heap; };
        if (local.front() == 0 && std::ranges::any_of(programs, has_heap))
            note(true,
                 "malloc of programs that are linked with Tutti or MPI takes memory that ranks share "
                 "(--heap off: the C library's)");
        if (order.reports_processes)
            report_processes(order, local);
        if (order.mpi != MpiLibraries::own)
            look_for_lonely(Seconds(0.1));
    } catch (const SpawnError& error) {
        start_failed(starting, error);
    } catch (const std::exception& error) {
        start_failed(starting, {0, describe(error)});
    }
}

RankEnvironment Daemon::environment_of_rank(const LaunchOrder& order, const RankPlacement& placement,
                                            const LocalProgram& program, int control, int pmi) const
{
    RankEnvironment environment = program.environment;
    for (const std::string& entry : pmix_->rank_environment(placement.rank))
        set_entry(environment, entry);
    environment["TUTTI_LOCAL_RANK"] = std::to_string(placement.local_rank);
    if (order.rank_variables)
        set_torchrun_variables(environment, order, placement);
    if (order.mpirun_variables)
        set_mpirun_variables(environment, order, placement);
    if (pmi >= 0)
        set_server_variables(environment, order, placement, pmi);
    environment[control::kVariable] = control::channel_variable(control, order.job_name, placement.rank);
    return environment;
}

void Daemon::start_rank(const LaunchOrder& order, const RankPlacement& placement, const LocalProgram& program)
{
    const UniqueFd control = control_.open(placement.rank);
    const UniqueFd pmi = order.mpi == MpiLibraries::own ? pmi_.open(placement.rank) : UniqueFd();
    RankEnvironment environment = environment_of_rank(order, placement, program, control.get(), pmi.get());
    RankStreams streams(order, placement.rank);
    if (streams.err && order.shows_status)
        environment[base::kTerminalVariable] = base::identity_of_file(streams.rank_err.get());
    std::vector<std::string> entries;
    for (const auto& [name, value] : environment)
        entries.push_back(name + "=" + value);
    std::vector<char*> pointers;
    for (std::string& entry : entries)
        pointers.push_back(entry.data());
    pointers.push_back(nullptr);

    const AppContext& app = order.apps[static_cast<std::size_t>(placement.app)];
    const bool debugged = std::ranges::find(order.debugged, placement.rank) != order.debugged.end();
    const std::string path = debugged ? find_gdbserver(search_path_of(environment)) : program.path;
    ReservedPort port = debugged ? reserve_port() : ReservedPort{};
    const std::vector<std::string> argv =
        debugged ? below_gdbserver(port.number, program.path, app.argv) : app.argv;
    volatile int binding_error = 0;
    processes_.started(
        placement.rank,
        spawn({.program = path.c_str(),
               .argv = &argv,
               .environment = pointers.data(),
               .working_directory = app.working_directory.c_str(),
               .cpus = &placement.cpus,
               .binding_error = order.must_bind ? nullptr : &binding_error,
               .standard_streams = {streams.rank_in.get(), streams.rank_out.get(), streams.stderr_of_rank()},
               .inherited = &inherited_,
               .kept_descriptors = {control.get(), pmi.get()},
               .announce_to = watchdog_.group_pipe()}));
    if (binding_error != 0)
        note(true, fmt::format("rank {} is not bound to processors: the kernel says {}", placement.rank,
                               std::strerror(binding_error)));
    if (debugged) {
        head_.send(FrameType::debug_server, encode(DebugServer{placement.rank, port.number, program.path}));
        debug_ports_.push_back(std::move(port.socket));
    }
    output_.add(placement.rank, Channel::standard_output, std::move(streams.out));
    if (streams.err)
        output_.add(placement.rank, Channel::standard_error, std::move(streams.err));
    if (streams.in)
        input_.add(placement.rank, std::move(streams.in));
}

/// Once a job, when a rank has ended by itself: says so where its program is one that should have joined.
void Daemon::advise_lonely(int rank)
{
    const std::string program = programs_[rank];
    programs_.clear();
    if (const std::string library = program.empty() ? "" : mpi_library_of(program); !library.empty())
        note(false, advice_for_lonely(mpi_, program, library));
}

/// While ranks live and none has joined: says, once a job, which other MPI library a rank has loaded, also
/// where the program that was started is an interpreter or a wrapper. Looks again after twice the time.
void Daemon::look_for_lonely(Seconds later)
{
    constexpr Seconds kLast{20};
    constexpr std::size_t kMostRanks = 4;  // ranks mostly do the same
    if (later > kLast)
        return;
    loop_.after(later, [this, later] {
        if (any_joined_ || ending_ || programs_.empty())
            return;
        std::size_t looked = 0;
        for (const auto& [rank, program] : programs_) {
            const RankProcess* const process = processes_.find(rank);
            if (process == nullptr || !process->running || ++looked > kMostRanks)
                continue;
            if (const std::string file = foreign_mpi_library(process->pid); !file.empty()) {
                note(false, advice_for_lonely(rank, file));
                return programs_.clear();
            }
        }
        look_for_lonely(2 * later);
    });
}

void Daemon::report_processes(const LaunchOrder& order, const std::vector<int>& ranks)
{
    std::vector<std::string> pids;
    for (const int rank : ranks)
        pids.push_back(fmt::format("rank {} is pid {}", rank, processes_.find(rank)->pid));
    const std::string& host = order.nodes[static_cast<std::size_t>(identity_.node)].name;
    note(true, fmt::format("on {}: {}", host, fmt::join(pids, ", ")));
}

void Daemon::note(bool only_verbose, const std::string& text)
{
    head_.send(FrameType::note, encode(only_verbose, text));
}

void Daemon::start_failed(int rank, const SpawnError& error)
{
    head_.send(FrameType::start_failed, encode(rank, error.error_number, error.what));
}

}  // namespace tutti::launcher
