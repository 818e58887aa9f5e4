#include "lib/core/process/process.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "collectives/choice/choice.hpp"
#include "collectives/framework/block_pool.hpp"
#include "lib/core/process/check_options.hpp"
#include "lib/core/process/memory_agreement.hpp"
#include "lib/core/process/network_transports.hpp"
#include "lib/core/process/rank_contact.hpp"
#include "lib/engine/protocol/options_from_settings.hpp"
#include "lib/foundation/base/cpus.hpp"
#include "lib/foundation/base/say.hpp"
#include "lib/foundation/base/suggest.hpp"
#include "lib/foundation/settings/cores.hpp"
#include "lib/foundation/settings/settings.hpp"
#include "transports/self/self_transport.hpp"
#include "transports/shm/shared_heap.hpp"
#include "transports/shm/shm_transport.hpp"
#include "tutti/allocate.hpp"

namespace tutti::detail {

namespace {

Progress progress_from_setting(Progress otherwise)
{
    static constexpr std::string_view kNames[] = {"calls", "thread"};
    const char* const text = settings::value_of("TUTTI_PROGRESS");
    if (text == nullptr || *text == '\0')
        return otherwise;
    const auto found = std::ranges::find(kNames, text);
    if (found == std::end(kNames))
        throw Error(ErrorCode::invalid_argument, "environment",
                    fmt::format("TUTTI_PROGRESS={}{} is neither calls nor thread{}", text,
                                settings::origin_of("TUTTI_PROGRESS"), base::did_you_mean(text, kNames)));
    return static_cast<Progress>(found - std::begin(kNames));
}

protocol::ProtocolOptions protocol_options(int rank, int ranks, bool shared_cores, RankStatus& status)
{
    protocol::ProtocolOptions options = protocol::options_from_settings(ranks, shared_cores);
    options.traffic = &status.traffic();
    options.profile = status.profile();
    options.own_rank = rank;
    options.injects = !check::options().any();
    return options;
}

void* allocate_mappable(std::size_t size_bytes) noexcept
{
    try {
        return allocate(size_bytes);
    } catch (...) {
        return nullptr;
    }
}

// This rank's arena and each peer's arena that it reads reserve far more addresses than they use.
bool has_addresses_to_spare() noexcept
{
    rlimit limit{};
    return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY;
}

// The ranks of a node share a ledger of the memory that they promise to each other. The first rank makes the
// ledger; the others fetch it when they first promise much.
void share_promises(control::Channel& channel, std::span<const int> local, int rank)
{
    using transport::shm::PromiseLedger;
    using transport::shm::SharedHeap;
    constexpr const char* kName = "promised memory";
    const std::size_t ranks = local.size();
    const auto own = static_cast<std::size_t>(std::ranges::lower_bound(local, rank) - local.begin());
    if (own == 0) {
        try {
            const auto file = PromiseLedger::create(ranks);
            channel.deposit(kName, {}, file.descriptor());
        } catch (const Error&) {
            return;  // each rank then knows of its own promises only
        }
    }
    SharedHeap::instance().find_ledger_by([&channel, ranks, own, leader = local.front()] {
        try {
            auto fetched = channel.fetch(leader, kName);
            return fetched.descriptor ? PromiseLedger(std::move(fetched.descriptor), own, ranks)
                                      : PromiseLedger();
        } catch (const Error&) {
            return PromiseLedger();
        }
    });
}

constexpr collectives::pool::LargeBlocks kMappable = {allocate_mappable, deallocate};

}  // namespace

Process::Process(std::unique_ptr<bootstrap::Bootstrap> bootstrap, EnvironmentOptions options,
                 bool ranks_are_processes)
    : bootstrap_(std::move(bootstrap)),
      threads_(options.threads),
      shared_cores_(settings::cores_are_shared(local_ranks())),
      status_(std::make_shared<RankStatus>(bootstrap_->size(), options.threads == ThreadLevel::multiple,
                                           bootstrap_->control())),
      protocol_(bootstrap_->size(),
                protocol_options(bootstrap_->rank(), bootstrap_->size(), shared_cores_, *status_),
                [this](int peer) -> transport::Transport& { return connect(peer); }),
      engine_(protocol_, engine_options(options.progress, ranks_are_processes)),
      team_(ranks_are_processes ? threads_of_reductions() : 1)
{
    collectives::choice();
    check_network_variables();
}

void Process::open(std::shared_ptr<transport::InprocHub> hub)
{
    const std::span<const int> local = bootstrap_->local_peers();
    if (hub != nullptr)
        engine_.add(std::make_unique<transport::InprocTransport>(std::move(hub), rank()));
    else if (local.size() > 1)
        open_shared_memory(local);
    rank_apart_ = find_apart();
    for (auto& network : make_network_transports(*bootstrap_, rank_apart_.has_value()))
        engine_.add(std::move(network));
    if (size() > 1) {
        bootstrap_->publish(kContactKey,
                            make_rank_contact(engine_.transports(), shared_cores_, check::options().any()));
        bootstrap_->make_known();
    }
}

void Process::open_shared_memory(std::span<const int> local)
{
    if (control::Channel* const channel = bootstrap_->control()) {
        exchange_.emplace(*channel);
        share_promises(*channel, local, rank());
    }
    auto shm = std::make_unique<transport::shm::ShmTransport>(
        rank(), local,
        transport::shm::ShmOptions{
            .sleeps_often = crowded(), .exchange = exchange(), .shares_copies = !shared_cores_});
    shm_ = shm.get();
    if (has_addresses_to_spare())
        collectives::pool::set_large_blocks(kMappable);
    engine_.add(std::move(shm));
}

const transport::shm::InboxContact* Process::inbox() const noexcept
{
    return shm_ != nullptr ? &shm_->contact() : nullptr;
}

transport::RemoteRegion Process::expose(std::span<const std::byte> data) const noexcept
{
    return shm_ != nullptr ? shm_->expose(data) : transport::RemoteRegion{};
}

std::span<std::byte> Process::map(int peer, const transport::RemoteRegion& region, std::size_t bytes)
{
    if (shm_ == nullptr || region.key == 0)
        return {};
    protocol_.connect_to(peer);
    return shm_->map(peer, region, bytes);
}

transport::RemoteMemory* Process::network_memory() const noexcept
{
    for (const auto& transport : engine_.transports())
        if (transport::RemoteMemory* const memory = transport->memory(); memory != nullptr && memory->puts())
            return memory;
    return nullptr;
}

bool Process::shared_cores_of(int peer)
{
    if (peer == rank() || shm_ == nullptr)
        return shared_cores_;  // threads have one environment
    const auto [known, is_new] = shared_cores_of_.try_emplace(peer);
    if (is_new || !known->second)
        known->second = shares_cores(bootstrap_->fetch(peer, kContactKey));
    return *known->second;
}

int Process::home_cpu() const noexcept
{
    const std::span<const int> local = bootstrap_->local_peers();
    const auto index = std::ranges::lower_bound(local, rank()) - local.begin();
    return base::cpu_of(static_cast<int>(index), local_ranks());
}

progress::EngineOptions Process::engine_options(Progress wanted, bool ranks_are_processes) const
{
    // The check for threads keeps the lock as for many threads: this rank outlives the calls that the check
    // finds.
    return {.many_threads = threads_ == ThreadLevel::multiple || check::options().threads,
            .progress_thread = progress_from_setting(wanted) == Progress::thread,
            .spare_core = settings::cores_owned(local_ranks()) > 1,
            .shared_cores = shared_cores_,
            .crowded = crowded(),
            .home_cpu = ranks_are_processes ? home_cpu() : -1,
            .profile = status_->profile()};
}

// A progress thread may reduce too; it leaves one core to the program.
int Process::threads_of_reductions() const
{
    const int cores = settings::cores_owned(local_ranks());
    return reduction::reduction_threads(engine_.has_thread() ? cores - 1 : cores);
}

bool Process::crowded() const
{
    return shared_cores_ && settings::cores_are_crowded(local_ranks());
}

// Without a daemon that passes memory on, the ranks test it. A job of several nodes has networks anyway.
std::optional<int> Process::find_apart()
{
    if (shm_ == nullptr || !bootstrap_->node_of_rank().empty() || bootstrap_->started_by_tuttirun())
        return std::nullopt;
    return find_rank_apart(*bootstrap_, *shm_);
}

Process::~Process()
{
    transport::shm::SharedHeap::instance().find_ledger_by(nullptr);  // it asks the bootstrap's daemon
    engine_.close();
    protocol_.fail_all();
}

bool Process::is_local(int peer) const
{
    return std::ranges::binary_search(bootstrap_->local_peers(), peer);
}

std::string Process::why_lost(int peer) const
{
    const std::string_view why = protocol_.why_lost(peer);
    const std::string host = bootstrap_->host_of(peer);
    return host.empty() || why.find(host) != why.npos ? std::string(why)
                                                      : fmt::format("{} (host {})", why, host);
}

std::uint64_t Process::new_context()
{
    // A frame holds 56 bits: 23 bits of rank, 32 of count, and one bit for collectives.
    return static_cast<std::uint64_t>(rank()) << 32 | next_context_++;
}

transport::Transport& Process::connect(int peer)
{
    if (protocol_.is_lost(peer))
        throw Error(ErrorCode::peer_lost, "connect",
                    fmt::format("rank {} of the job: {}", peer, why_lost(peer)), peer);
    if (peer == rank())
        return engine_.add(std::make_unique<transport::SelfTransport>(rank()));
    const auto& transports = engine_.transports();
    const std::vector<std::byte> contact = bootstrap_->fetch(peer, kContactKey);
    if (is_checked(contact) != (checker() != nullptr))
        throw Error(
            ErrorCode::invalid_argument, "connect",
            fmt::format("rank {} has TUTTI_CHECK set, rank {} has not; set it for all ranks, or start "
                        "them with tuttirun --check",
                        checker() != nullptr ? rank() : peer, checker() != nullptr ? peer : rank()),
            peer);
    std::string why;
    for (const auto& transport : transports) {
        const auto address = find_address(contact, transport->name());
        if (address && transport->reach(peer, *address)) {
            try {
                transport->connect(peer, *address);
            } catch (const Error& error) {
                if (error.code() != ErrorCode::not_supported)
                    throw;
                why = error.what();
                continue;
            }
            if (is_local(peer) && transport.get() != shm_ && shm_ != nullptr)
                report_fallback(peer, *transport, why);
            return *transport;
        }
        if (address && why.empty())
            why = transport->unreachable(*address);
    }
    const auto name = [this](int of) {
        const std::string host = bootstrap_->host_of(of);
        return host.empty() ? std::string("an unnamed host") : host;
    };
    if (is_local(peer))
        why = fmt::format(
            "they are on one node and share no memory{}{}; start them in one container, or by tuttirun in "
            "containers that pass TUTTI_CONTROL and its descriptor on, or set TUTTI_FABRIC=tcp for all ranks",
            why.empty() ? "" : ": ", why);
    else if (why.empty())
        why =
            "they have no network transport in common; start all ranks with the same TUTTI_FABRIC (tuttirun "
            "--fabric)";
    throw Error(ErrorCode::not_supported, "connect",
                fmt::format("rank {} on {} cannot reach rank {} on {}: {}", rank(), name(rank()), peer,
                            name(peer), why),
                peer);
}

// Containers separate all ranks of a node, so one rank reports it.
void Process::report_fallback(int peer, const transport::Transport& instead, const std::string& why)
{
    if (std::exchange(reported_detour_, true) ||
        rank() != rank_apart_.value_or(bootstrap_->local_peers().front()))
        return;
    base::say(fmt::format(
        "tutti: rank {} and rank {} are on one node and share no memory{}{}; going over {}\n", rank(), peer,
        why.empty() ? "" : ": ", why, instead.name() == "tcp" ? "TCP" : instead.name()));
}

void Process::abort(int status, const std::string& what)
{
    // A lost peer is then the likely cause, and this rank's error only a consequence.
    if (protocol_.has_lost_peers())
        bootstrap_->let_launcher_end_the_job();
    bootstrap_->abort(status, fmt::format("rank {}: {}", rank(), what));
    std::abort();  // the compiler does not know that a virtual call never returns
}

}  // namespace tutti::detail
