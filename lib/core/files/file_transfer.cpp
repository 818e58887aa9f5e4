#include "lib/core/files/file_transfer.hpp"

#include "lib/core/files/mapped_write.hpp"

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

// Whether so many runs are so short and so close that it is faster to store to them than to call the kernel
// for each.
bool has_many_short_runs(const FileTransfer& transfer)
{
    constexpr std::uint64_t kLookedAt = std::uint64_t{64} << 10;
    constexpr std::uint64_t kFewRuns = 32;
    constexpr std::uint64_t kMostHull = 8;  // times the bytes: what lies between is brought to memory, too
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
    return runs >= kFewRuns && static_cast<std::uint64_t>(end - first) <= kMostHull * bytes;
}

}  // namespace

FileOutcome FileTransfer::move() const
{
    FileBatch batch(file.descriptor(), writes);
    if (writes && file.maps_writes() && !view.is_contiguous() && has_many_short_runs(*this)) {
        MappedWrite mapped(file, view.place_of(from), view.place_of(to() - 1) + 1);
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
    moved = memory.size_bytes;
    if (outcome.end_of_file != FileBatch::kNoEnd)
        moved = static_cast<std::size_t>(std::clamp(view.bytes_before(outcome.end_of_file), from, to()) - from);
}

}  // namespace tutti::detail
