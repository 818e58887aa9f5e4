#include "lib/core/files/file_transfer.hpp"

#include "lib/core/files/mapped_access.hpp"

namespace tutti::detail {

FileRunList FileTransfer::runs() const
{
    FileRunList list;
    for_each_piece([&](std::int64_t place, const std::byte* data, std::size_t bytes) {
        list.add(place, reinterpret_cast<std::uintptr_t>(data), bytes);
    });
    return list;
}

namespace {

constexpr std::uint64_t kShort = 2048;
constexpr std::uint64_t kShortAgain = 8192;
constexpr std::uint64_t kNoRuns = ~std::uint64_t{0};

/// The bytes of a run in the mean, where a write has many near each other, as its beginning tells; else
/// kNoRuns.
std::uint64_t bytes_of_near_runs(const FileTransfer& transfer)
{
    constexpr std::uint64_t kLookedAt = std::uint64_t{256} << 10;
    constexpr std::uint64_t kFewRuns = 32;
    constexpr std::uint64_t kMostHull = 8;  // times the bytes: what lies between is brought to memory, too
    if (!transfer.writes || transfer.view.is_contiguous())
        return kNoRuns;
    const std::uint64_t bytes = std::min<std::uint64_t>(transfer.memory.size_bytes, kLookedAt);
    std::uint64_t runs = 0;
    std::int64_t first = 0;
    std::int64_t end = 0;
    transfer.view.for_each_run(transfer.from, transfer.from + bytes,
                               [&](std::int64_t place, std::uint64_t run) {
                                   if (runs++ == 0)
                                       first = place;
                                   end = place + static_cast<std::int64_t>(run);
                               });
    if (runs < kFewRuns || static_cast<std::uint64_t>(end - first) > kMostHull * bytes)
        return kNoRuns;
    return (bytes + runs - 1) / runs;
}

}  // namespace

void FileTransfer::choose_way()
{
    constexpr std::uint64_t kFew = std::uint64_t{64} << 10;  // bytes for which no pages are looked at
    constexpr std::uint64_t kPaid = 4;  // times the mapped bytes: to move them costs what their pages do
    const std::uint64_t bytes = memory.size_bytes;
    if (!file.is_mappable() || bytes == 0 || !ascends() || (bytes < kFew && view.is_contiguous()))
        return;
    const std::int64_t first = view.place_of(from);
    const std::int64_t end = view.place_of(to() - 1) + 1;
    const auto hull = static_cast<std::uint64_t>(end - first);
    const MappedWindow::Before before = file.window().note(first, end, bytes);
    const std::uint64_t run = bytes_of_near_runs(*this);
    const bool is_paid = hull <= static_cast<std::uint64_t>(MappedAccess::kMostMapped) &&
                         before.moved >= kPaid * hull && (writes || !file.is_sparse());
    is_mapped = run <= kShort || (run <= kShortAgain && before.moved != 0) ||
                (bytes >= kFew && (before.is_mapped || is_paid));
}

FileOutcome FileTransfer::move() const
{
    FileBatch batch(file.descriptor(), writes);
    if (is_mapped) {
        MappedAccess mapped(file, writes, view.place_of(from), view.place_of(to() - 1) + 1);
        for_each_piece([&](std::int64_t place, std::byte* data, std::size_t bytes) {
            while (bytes != 0) {
                const std::size_t part = mapped.add(place, data, bytes);
                if (part == 0)
                    return batch.add(place, data, bytes);
                place += static_cast<std::int64_t>(part);
                data += part;
                bytes -= part;
            }
        });
        batch.finish();
        return {batch.trouble(), batch.end_of_file()};
    }
    for_each_piece([&](std::int64_t place, std::byte* data, std::size_t bytes) { batch.add(place, data, bytes); });
    batch.finish();
    return {batch.trouble(), batch.end_of_file()};
}

void FileTransfer::end(const FileOutcome& outcome, int rank)
{
    if (outcome.trouble)
        file.fail(call, writes ? "cannot write to" : "cannot read from", outcome.trouble, rank);
    moved = outcome.end_of_file == FileBatch::kNoEnd ? memory.size_bytes : bytes_before(outcome.end_of_file);
}

std::size_t FileTransfer::bytes_before(std::int64_t end_of_file) const
{
    if (ascends())
        return static_cast<std::size_t>(std::clamp(view.bytes_before(end_of_file), from, to()) - from);
    // Up to the first run that reaches behind it.
    std::size_t before = 0;
    bool has_met_end = false;
    view.for_each_run(from, to(), [&](std::int64_t place, std::uint64_t bytes) {
        if (has_met_end)
            return;
        const std::int64_t there =
            std::clamp<std::int64_t>(end_of_file - place, 0, static_cast<std::int64_t>(bytes));
        before += static_cast<std::size_t>(there);
        has_met_end = static_cast<std::uint64_t>(there) < bytes;
    });
    return before;
}

}  // namespace tutti::detail
