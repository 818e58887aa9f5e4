#include "lib/core/files/collective_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "collectives/framework/functions.hpp"
#include "collectives/framework/nodes.hpp"
#include "lib/core/communicators/communicator_group.hpp"
#include "lib/core/files/failure_words.hpp"
#include "lib/core/files/file_worker.hpp"
#include "lib/core/files/in_file_system.hpp"
#include "lib/core/process/exposed_memory.hpp"
#include "lib/core/process/process.hpp"
#include "lib/foundation/base/cpus.hpp"
#include "lib/foundation/datatype/transfer.hpp"

namespace tutti::detail {

namespace {

using collectives::Group;
using collectives::OperationList;
using collectives::Task;

// Ranks whose pieces are longer move them as fast themselves: each call of the kernel has enough to do.
constexpr std::uint64_t kLongPiece = std::uint64_t{32} << 10;

// A rank's part, as it tells all others. Plain bytes.
struct Share {
    std::uint64_t bytes;
    std::uint64_t pieces;
    std::uint64_t run_count;
    std::int64_t first;  // of the file; if there are bytes
    std::int64_t end;
    std::uint64_t view_kind;
    std::uint64_t refused;
    std::uint64_t is_mapped;
    std::uint64_t ascends;
    ExposedMemory data;
};

template <class T>
std::span<std::byte> list_bytes(std::vector<T>& list)
{
    return std::as_writable_bytes(std::span(list));
}

// As many elements of its layout the memory has.
std::size_t elements_of(const View& memory) noexcept
{
    return memory.size_bytes / memory.layout->size_bytes();
}

// All memory from the first byte of the data to the last one.
std::span<const std::byte> hull_of(const View& memory)
{
    if (memory.layout == nullptr || memory.size_bytes == 0)
        return {memory.data, memory.size_bytes};
    const datatype::Range all =
        memory.layout->description().data.repeated(elements_of(memory), memory.layout->extent_bytes());
    return {memory.data + all.low, static_cast<std::size_t>(all.high - all.low)};
}

struct Domain {
    std::int64_t from = 0;
    std::int64_t to = 0;
};

// What all ranks find alike in the shares of all.
class Schedule {
public:
    Schedule(const CollectiveAccess& access, std::span<const Share> shares)
        : access_(access),
          shares_(shares),
          aggregators_(access.transfer.writes ? access.ranks->writers : access.ranks->readers)
    {
        for (const Share& share : shares)
            if (share.bytes != 0) {
                low_ = std::min(low_, share.first);
                high_ = std::max(high_, share.end);
            }
        divide();
        for (std::size_t i = 0; i < aggregators_.size(); ++i)
            rounds_ = std::max(rounds_, rounds_of(i));
    }

    bool moves_anything() const noexcept { return low_ < high_; }
    /// Aggregators need places that ascend.
    bool each_moves_its_own() const;
    std::span<const int> aggregators() const noexcept { return aggregators_; }
    std::int64_t rounds() const noexcept { return rounds_; }
    Domain domain(std::size_t aggregator) const noexcept
    {
        const auto index = static_cast<std::int64_t>(aggregator);
        return {std::max(low_, start_ + index * length_), std::min(high_, start_ + (index + 1) * length_)};
    }
    /// What an aggregator moves in a round.
    Domain window(std::size_t aggregator, std::int64_t round) const noexcept
    {
        const Domain all = domain(aggregator);
        if (rounds_of(aggregator) == 1)
            return round == 0 ? all : Domain{};
        const std::int64_t from = all.from + round * buffer_bytes();
        return {std::min(from, all.to), std::min(from + buffer_bytes(), all.to)};
    }
    /// Whether the rank has data there, as far as its ends tell.
    bool reaches(int rank, const Domain& part) const noexcept
    {
        const Share& share = of(rank);
        return share.bytes != 0 && share.first < part.to && part.from < share.end;
    }
    /// Whether an aggregator maps the rank's memory.
    bool maps(int aggregator, int rank) const noexcept
    {
        const Share& share = of(rank);
        if (share.data.process == of(aggregator).data.process)
            return true;
        const collectives::NodeMap* const nodes = access_.communicator.placement().nodes;
        const bool same_node = access_.communicator.placement().one_node ||
                               (nodes != nullptr && nodes->node_of(rank) == nodes->node_of(aggregator));
        return same_node && access_.ranks->maps_peers && share.data.region.key != 0;
    }
    const Share& of(int rank) const noexcept { return shares_[static_cast<std::size_t>(rank)]; }

private:
    std::int64_t buffer_bytes() const noexcept
    {
        return static_cast<std::int64_t>(access_.hints.buffer_bytes);
    }
    void divide() noexcept;
    std::int64_t rounds_of(std::size_t aggregator) const noexcept;

    const CollectiveAccess& access_;
    const std::span<const Share> shares_;
    const std::span<const int> aggregators_;
    std::int64_t low_ = std::numeric_limits<std::int64_t>::max();
    std::int64_t high_ = 0;
    std::int64_t start_ = 0;   // of the first domain
    std::int64_t length_ = 0;  // of each
    std::int64_t rounds_ = 0;
};

// Domains begin at multiples of the alignment, where each then is that long, else at those of a page.
void Schedule::divide() noexcept
{
    if (!moves_anything())
        return;
    constexpr std::int64_t kPage = 4096;
    const auto count = static_cast<std::int64_t>(aggregators_.size());
    const auto alignment = static_cast<std::int64_t>(access_.hints.alignment);
    const std::int64_t unit = high_ - low_ >= count * alignment ? alignment : kPage;
    start_ = low_ - low_ % unit;
    length_ = ((high_ - start_ + count - 1) / count + unit - 1) / unit * unit;
}

std::int64_t Schedule::rounds_of(std::size_t aggregator) const noexcept
{
    const Domain all = domain(aggregator);
    if (all.from >= all.to)
        return 0;
    for (int rank = 0; rank < access_.communicator.size(); ++rank)
        if (reaches(rank, all) && !maps(aggregators_[aggregator], rank))
            return (all.to - all.from + buffer_bytes() - 1) / buffer_bytes();
    return 1;
}

bool Schedule::each_moves_its_own() const
{
    if (std::ranges::any_of(shares_, [](const Share& share) { return share.ascends == 0; }))
        return true;
    const FileHints::Collective wanted =
        access_.transfer.writes ? access_.hints.collective_writes : access_.hints.collective_reads;
    if (wanted != FileHints::Collective::automatic)
        return wanted == FileHints::Collective::never;
    std::vector<const Share*> sorted;
    bool are_long = true;
    bool all_map = true;
    for (const Share& share : shares_)
        if (share.bytes != 0) {
            sorted.push_back(&share);
            are_long = are_long && share.bytes / share.pieces >= kLongPiece;
            all_map = all_map && share.is_mapped != 0;
        }
    if ((are_long || all_map) && access_.ranks->is_local)
        return true;
    std::ranges::sort(sorted, {}, &Share::first);
    for (std::size_t i = 1; i < sorted.size(); ++i)
        if (sorted[i]->first < sorted[i - 1]->end)
            return false;
    return true;
}

// The runs of a rank in the memory of an aggregator, and where the pieces' memory is for it.
struct Source {
    FileRuns runs;
    std::uint64_t offset = 0;      // from an address of the rank to one here, if its memory is mapped
    std::byte* packed = nullptr;   // else: its bytes of this round, in their order
    std::uint64_t packed_from = 0;  // the first of them, in bytes of the rank's access

    std::byte* place_of(const PieceCursor& piece) const noexcept
    {
        return packed != nullptr ? packed + (piece.before() - packed_from)
                                 : reinterpret_cast<std::byte*>(
                                       static_cast<std::uintptr_t>(piece.memory() + offset));
    }
};

// Moves the pieces of all sources in a part of the file, in ascending order.
FileOutcome merge(const FileTransfer& transfer, std::span<const Source> sources, const Domain& part)
{
    struct Head {
        PieceCursor piece;
        const Source* source;
    };
    std::vector<Head> heads;
    for (const Source& source : sources) {
        const PieceCursor piece(source.runs, part.from, part.to);
        if (!piece.done())
            heads.push_back({piece, &source});
    }
    const auto later = [](const Head& a, const Head& b) { return a.piece.place() > b.piece.place(); };
    std::ranges::make_heap(heads, later);
    FileBatch batch(transfer.file.descriptor(), transfer.writes);
    while (!heads.empty() && !batch.trouble()) {
        std::ranges::pop_heap(heads, later);
        Head& head = heads.back();
        // Up to where the next source begins.
        const std::int64_t limit = heads.size() > 1 ? heads.front().piece.place() : part.to;
        do {
            batch.add(head.piece.place(), head.source->place_of(head.piece), head.piece.bytes());
            head.piece.next();
        } while (!head.piece.done() && head.piece.place() < limit);
        if (head.piece.done())
            heads.pop_back();
        else
            std::ranges::push_heap(heads, later);
    }
    batch.finish();
    return {batch.trouble(), batch.end_of_file()};
}

// What a rank receives of an aggregator in a round of a read.
struct Arriving {
    int aggregator;
    std::size_t from;         // in bytes of the access
    std::uint64_t count = 0;  // of those that the file has
    std::vector<std::byte> packed{};

    std::span<std::byte> place_in(const View& memory)
    {
        if (memory.layout == nullptr)
            return {memory.data + from, static_cast<std::size_t>(count)};
        packed.resize(static_cast<std::size_t>(count));
        return packed;
    }
};

class Aggregation {
public:
    Aggregation(Group& group, CollectiveAccess& access, const Schedule& schedule, FileRuns own)
        : group_(group), access_(access), schedule_(schedule), own_(own)
    {
        const auto found = std::ranges::find(schedule.aggregators(), group.rank());
        if (found != schedule.aggregators().end())
            domain_ = static_cast<std::size_t>(found - schedule.aggregators().begin());
    }

    Task run(FileOutcome& outcome);

private:
    static constexpr std::size_t kNone = ~std::size_t{0};

    bool is_aggregator() const noexcept { return domain_ != kNone; }
    bool sends_to(int aggregator) const noexcept
    {
        return aggregator != group_.rank() && !schedule_.maps(aggregator, group_.rank());
    }
    Task exchange_runs();
    void map_sources();
    Task write_round(std::int64_t round, FileOutcome& outcome);
    Task read_round(std::int64_t round, FileOutcome& outcome);
    void make_room(const Domain& part);
    std::uint64_t bytes_in(const Domain& part) const;
    template <class Visit>
    void for_each_sender(const Domain& part, Visit&& visit);
    template <class Visit>
    void for_each_receiver(std::int64_t round, Visit&& visit);

    Group& group_;
    CollectiveAccess& access_;
    const Schedule& schedule_;
    const FileRuns own_;
    std::size_t domain_ = kNone;
    std::vector<std::vector<FileRun>> runs_;  // of an aggregator: those of other ranks
    std::vector<Source> sources_;
    std::vector<std::byte> room_;  // of an aggregator: packed data of one round
};

// To the aggregators where this rank has data.
Task Aggregation::exchange_runs()
{
    OperationList operations;
    if (is_aggregator()) {
        runs_.resize(static_cast<std::size_t>(group_.size()));
        const Domain domain = schedule_.domain(domain_);
        for (int rank = 0; rank < group_.size(); ++rank) {
            if (rank == group_.rank() || !schedule_.reaches(rank, domain))
                continue;
            std::vector<FileRun>& runs = runs_[static_cast<std::size_t>(rank)];
            runs.resize(schedule_.of(rank).run_count);
            operations.add(group_.recv(rank, list_bytes(runs)));
        }
    }
    for (std::size_t i = 0; i < schedule_.aggregators().size(); ++i)
        if (const int aggregator = schedule_.aggregators()[i];
            aggregator != group_.rank() && schedule_.reaches(group_.rank(), schedule_.domain(i)))
            operations.add(group_.send(aggregator, std::as_bytes(own_)));
    auto all = when_all(std::move(operations));
    co_await all;
}

void Aggregation::map_sources()
{
    sources_.resize(static_cast<std::size_t>(group_.size()));
    for (int rank = 0; rank < group_.size(); ++rank) {
        Source& source = sources_[static_cast<std::size_t>(rank)];
        if (rank == group_.rank()) {
            source.runs = own_;
            continue;
        }
        source.runs = runs_[static_cast<std::size_t>(rank)];
        if (source.runs.empty() || !schedule_.maps(group_.rank(), rank))
            continue;
        const ExposedMemory& data = schedule_.of(rank).data;
        const std::byte* const here =
            mapped(access_.communicator.process(), access_.communicator.world_rank(rank), data);
        if (here == nullptr)
            throw Error(ErrorCode::system, access_.transfer.call,
                        fmt::format("the memory of rank {} cannot be mapped any more", rank), rank);
        source.offset = reinterpret_cast<std::uintptr_t>(here) - data.address;
    }
}

// Ranks that exchange data with this aggregator, and the bytes that they have there.
template <class Visit>
void Aggregation::for_each_sender(const Domain& part, Visit&& visit)
{
    if (!is_aggregator())
        return;
    for (int rank = 0; rank < group_.size(); ++rank) {
        if (rank == group_.rank() || !schedule_.reaches(rank, part) || schedule_.maps(group_.rank(), rank))
            continue;
        Source& source = sources_[static_cast<std::size_t>(rank)];
        const std::uint64_t from = bytes_before(source.runs, part.from);
        if (const std::uint64_t bytes = bytes_before(source.runs, part.to) - from; bytes != 0)
            visit(rank, source, from, static_cast<std::size_t>(bytes));
    }
}

// Aggregators that this rank exchanges data with.
template <class Visit>
void Aggregation::for_each_receiver(std::int64_t round, Visit&& visit)
{
    for (std::size_t i = 0; i < schedule_.aggregators().size(); ++i) {
        const Domain part = schedule_.window(i, round);
        const int aggregator = schedule_.aggregators()[i];
        if (!sends_to(aggregator) || !schedule_.reaches(group_.rank(), part))
            continue;
        const std::uint64_t from = bytes_before(own_, part.from);
        if (const std::uint64_t bytes = bytes_before(own_, part.to) - from; bytes != 0)
            visit(aggregator, static_cast<std::size_t>(from), static_cast<std::size_t>(bytes));
    }
}

// Of all ranks.
std::uint64_t Aggregation::bytes_in(const Domain& part) const
{
    std::uint64_t bytes = 0;
    for (const Source& source : sources_)
        bytes += bytes_before(source.runs, part.to) - bytes_before(source.runs, part.from);
    return bytes;
}

// Gives each sender its place in the room.
void Aggregation::make_room(const Domain& part)
{
    std::size_t bytes = 0;
    for_each_sender(part, [&](int, Source&, std::uint64_t, std::size_t more) { bytes += more; });
    if (room_.size() < bytes)
        room_.resize(bytes);
    std::size_t used = 0;
    for_each_sender(part, [&](int, Source& source, std::uint64_t from, std::size_t more) {
        source.packed = room_.data() + used;
        source.packed_from = from;
        used += more;
    });
}

Task Aggregation::write_round(std::int64_t round, FileOutcome& outcome)
{
    const FileTransfer& transfer = access_.transfer;
    const Domain part = is_aggregator() ? schedule_.window(domain_, round) : Domain{};
    OperationList operations;
    make_room(part);
    for_each_sender(part, [&](int rank, Source& source, std::uint64_t, std::size_t bytes) {
        operations.add(group_.recv(rank, {source.packed, bytes}));
    });
    std::vector<std::vector<std::byte>> packed;
    for_each_receiver(round, [&](int aggregator, std::size_t from, std::size_t bytes) {
        const std::byte* data = transfer.memory.data + from;
        if (transfer.memory.layout != nullptr) {
            std::vector<std::byte>& copy = packed.emplace_back(bytes);
            datatype::pack(*transfer.memory.layout, elements_of(transfer.memory), transfer.memory.data, from, copy);
            data = copy.data();
        }
        operations.add(group_.send(aggregator, {data, bytes}));
    });
    auto exchanged = when_all(std::move(operations));
    co_await exchanged;
    if (part.from < part.to && !outcome.trouble) {
        Task moved = move_bytes(group_, access_.communicator, transfer.worker, transfer.writes,
                                bytes_in(part), [&] { outcome.include(merge(transfer, sources_, part)); });
        co_await moved;
    }
}

Task Aggregation::read_round(std::int64_t round, FileOutcome& outcome)
{
    const FileTransfer& transfer = access_.transfer;
    const Domain part = is_aggregator() ? schedule_.window(domain_, round) : Domain{};
    std::vector<Arriving> arriving;
    for_each_receiver(round, [&](int aggregator, std::size_t from, std::size_t) {
        arriving.push_back({.aggregator = aggregator, .from = from});
    });
    OperationList counts;
    for (Arriving& each : arriving)
        counts.add(group_.recv(each.aggregator, std::as_writable_bytes(std::span(&each.count, 1))));
    make_room(part);
    if (part.from < part.to && !outcome.trouble) {
        Task moved = move_bytes(group_, access_.communicator, transfer.worker, transfer.writes,
                                bytes_in(part), [&] { outcome.include(merge(transfer, sources_, part)); });
        co_await moved;
    }
    // Bytes behind the file's end stay as they are, so each receiver learns first how many there are.
    std::vector<std::uint64_t> sent;
    sent.reserve(static_cast<std::size_t>(group_.size()));
    OperationList operations;
    for_each_sender(part, [&](int rank, Source& source, std::uint64_t from, std::size_t bytes) {
        const std::uint64_t end = bytes_before(source.runs, std::min(part.to, outcome.end_of_file));
        const std::uint64_t count = outcome.trouble ? 0 : std::clamp(end, from, from + bytes) - from;
        sent.push_back(count);
        operations.add(group_.send(rank, std::as_bytes(std::span(&sent.back(), 1))));
        if (count != 0)
            operations.add(group_.send(rank, {source.packed, static_cast<std::size_t>(count)}));
    });
    auto counted = when_all(std::move(counts));
    co_await counted;
    for (Arriving& each : arriving)
        if (each.count != 0)
            operations.add(group_.recv(each.aggregator, each.place_in(transfer.memory)));
    auto exchanged = when_all(std::move(operations));
    co_await exchanged;
    for (const Arriving& each : arriving)
        if (!each.packed.empty())
            datatype::unpack(*transfer.memory.layout, elements_of(transfer.memory), transfer.memory.data,
                             each.from, each.packed);
}

Task Aggregation::run(FileOutcome& outcome)
{
    Task exchanged = exchange_runs();
    co_await exchanged;
    if (is_aggregator())
        map_sources();
    for (std::int64_t round = 0; round < schedule_.rounds(); ++round) {
        Task moved = access_.transfer.writes ? write_round(round, outcome) : read_round(round, outcome);
        co_await moved;
    }
}

// From the first byte to the last one.
Domain part_of_file(FileRuns runs, bool ascend)
{
    if (runs.empty())
        return {};
    if (ascend)
        return {runs.front().place, runs.back().end()};
    return {std::ranges::min(runs, {}, &FileRun::place).place,
            std::ranges::max(runs, {}, &FileRun::end).end()};
}

Share share_of(const CollectiveAccess& access, const FileRunList& own)
{
    const Process& process = access.communicator.process();
    const FileRuns runs = own.runs();
    const Domain part = part_of_file(runs, access.transfer.ascends());
    return {.bytes = own.bytes(),
            .pieces = own.pieces(),
            .run_count = runs.size(),
            .first = part.from,
            .end = part.to,
            .view_kind = access.view_kind,
            .refused = access.refusal != nullptr,
            .is_mapped = access.transfer.is_mapped,
            .ascends = access.transfer.ascends(),
            .data = exposed(process, hull_of(access.transfer.memory))};
}

void check_kinds(const CollectiveAccess& access, std::span<const Share> shares)
{
    for (std::size_t rank = 0; rank < shares.size(); ++rank)
        if (shares[rank].view_kind != shares[0].view_kind)
            throw FileError(FileFault::not_same, access.transfer.call,
                            fmt::format("{}: the views of ranks 0 and {} have etypes of different sizes, or "
                                        "different data representations; give all ranks the same ones",
                                        access.transfer.file.path(), rank),
                            static_cast<int>(rank));
}

// All ranks throw, or none.
Task check_shares(Group& group, const CollectiveAccess& access, std::span<const Share> shares)
{
    const auto refusing = std::ranges::find_if(shares, [](const Share& share) { return share.refused != 0; });
    if (refusing == shares.end()) {
        check_kinds(access, shares);
        co_return;
    }
    const auto rank = static_cast<int>(refusing - shares.begin());
    FailureWords why(access.refusal);
    Task told = collectives::broadcast_binomial(group, std::as_writable_bytes(std::span(&why, 1)), rank);
    co_await told;
    if (access.refusal)
        std::rethrow_exception(access.refusal);
    throw FileError(FileFault::argument, access.transfer.call,
                    fmt::format("{}: no rank accesses the file, because rank {} has made this call with "
                                "arguments that are wrong: {}",
                                access.transfer.file.path(), rank, why.sentence.data()),
                    rank);
}

// All ranks learn what each has to move.
Task meet(Group& group, const CollectiveAccess& access, const FileRunList& own, std::vector<Share>& shares)
{
    const Share share = share_of(access, own);
    shares.resize(static_cast<std::size_t>(group.size()));
    Task gathered =
        collectives::allgather_bruck(group, std::as_bytes(std::span(&share, 1)).data(), list_bytes(shares));
    co_await gathered;
    Task checked = check_shares(group, access, shares);
    co_await checked;
}

}  // namespace

Task end_together(Group& group, CollectiveAccess& access, FileOutcome outcome)
{
    std::vector<FileOutcome> outcomes(static_cast<std::size_t>(group.size()));
    Task gathered = collectives::allgather_bruck(group, std::as_bytes(std::span(&outcome, 1)).data(),
                                                 list_bytes(outcomes));
    co_await gathered;
    FileOutcome all;
    int rank = Error::kNoPeer;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (outcomes[i].trouble && !all.trouble)
            rank = static_cast<int>(i);
        all.include(outcomes[i]);
    }
    access.transfer.end(all, rank);
}

Task check_together(Group& group, const CollectiveAccess& access)
{
    const FileRunList nothing;
    std::vector<Share> shares;
    Task met = meet(group, access, nothing, shares);
    co_await met;
}

std::shared_ptr<const FileRanks> FileRanks::of(const CommunicatorState& communicator, bool maps_peers,
                                               bool is_local, int aggregators)
{
    FileRanks ranks;
    ranks.maps_peers = maps_peers;
    ranks.is_local = is_local;
    const collectives::Placement placement = communicator.placement();
    const int size = communicator.size();
    std::vector<int> all(static_cast<std::size_t>(size));
    std::iota(all.begin(), all.end(), 0);
    std::size_t reading = all.size();
    std::size_t writing = all.size();
    if (placement.one_node || placement.nodes == nullptr) {
        // Writers of a file take turns in the kernel: while one moves data, the other prepares its next call.
        static const auto cpus = static_cast<std::size_t>(std::max(base::machine_cpus(), 1.0));
        reading = std::min(reading, cpus);
        writing = std::min<std::size_t>(writing, 2);
    } else {
        // One rank of each node, then the others.
        const auto leaders = placement.nodes->leaders();
        std::ranges::stable_partition(
            all, [&](int rank) { return std::ranges::find(leaders, rank) != leaders.end(); });
        reading = writing = leaders.size();
    }
    if (aggregators > 0)
        reading = writing = std::min(all.size(), static_cast<std::size_t>(aggregators));
    ranks.readers.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(reading));
    ranks.writers.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(writing));
    return std::make_shared<const FileRanks>(std::move(ranks));
}

Task move_together(Group& group, CollectiveAccess& access)
{
    FileTransfer& transfer = access.transfer;
    const FileRunList own = access.refusal ? FileRunList() : transfer.runs();
    std::vector<Share> shares;
    Task met = meet(group, access, own, shares);
    co_await met;
    const Schedule schedule(access, shares);
    if (!schedule.moves_anything())
        co_return;
    FileOutcome outcome;
    if (schedule.each_moves_its_own()) {
        Task moved = move_bytes(group, access.communicator, transfer.worker, transfer.writes,
                                transfer.memory.size_bytes, [&] { outcome = transfer.move(); });
        co_await moved;
    } else {
        Aggregation aggregation(group, access, schedule, own.runs());
        Task moved = aggregation.run(outcome);
        co_await moved;
    }
    Task agreed = end_together(group, access, outcome);
    co_await agreed;
}

}  // namespace tutti::detail
