#include "lib/core/files/file_runs.hpp"

#include <algorithm>

namespace tutti::detail {

void FileRunList::add(std::int64_t place, std::uint64_t memory, std::uint64_t bytes)
{
    if (!runs_.empty()) {
        FileRun& last = runs_.back();
        const auto length = static_cast<std::int64_t>(last.bytes);
        const std::int64_t ahead = place - last.place;
        const auto memory_ahead = static_cast<std::int64_t>(memory - last.memory);
        const auto count = static_cast<std::int64_t>(last.count);
        if (count == 1 && ahead == length && memory_ahead == length) {
            last.bytes += bytes;
            bytes_ += bytes;
            return;
        }
        if (bytes == last.bytes && count == 1 && ahead > 0) {
            last.stride = ahead;
            last.memory_stride = memory_ahead;
        }
        if (bytes == last.bytes && ahead > 0 && ahead == count * last.stride && memory_ahead == count * last.memory_stride) {
            ++last.count;
            ++pieces_;
            bytes_ += bytes;
            return;
        }
    }
    runs_.push_back({place, memory, bytes, 1, 0, 0, bytes_});
    bytes_ += bytes;
    ++pieces_;
}

namespace {

// The first run that ends behind the place.
const FileRun* run_at(FileRuns runs, std::int64_t place) noexcept
{
    return runs.data() + (std::ranges::partition_point(runs, [&](const FileRun& run) {
                              return run.end() <= place;
                          }) - runs.begin());
}

// The first piece of it that ends behind the place.
std::uint64_t piece_at(const FileRun& run, std::int64_t place) noexcept
{
    const std::int64_t beyond = place - (run.place + static_cast<std::int64_t>(run.bytes));
    return beyond < 0 || run.count == 1 ? 0 : static_cast<std::uint64_t>(beyond / run.stride) + 1;
}

}  // namespace

std::uint64_t bytes_before(FileRuns runs, std::int64_t place) noexcept
{
    if (runs.empty())
        return 0;
    const FileRun* const run = run_at(runs, place);
    if (run == runs.data() + runs.size())
        return runs.back().before + runs.back().count * runs.back().bytes;
    const std::uint64_t piece = piece_at(*run, place);
    const std::int64_t within = place - (run->place + static_cast<std::int64_t>(piece) * run->stride);
    return run->before + piece * run->bytes + static_cast<std::uint64_t>(std::max<std::int64_t>(within, 0));
}

PieceCursor::PieceCursor(FileRuns runs, std::int64_t from, std::int64_t to) noexcept
    : run_(run_at(runs, from)), end_(runs.data() + runs.size()), to_(to)
{
    if (run_ == end_)
        return;
    index_ = piece_at(*run_, from);
    const std::int64_t first = run_->place + static_cast<std::int64_t>(index_) * run_->stride;
    const auto cut = static_cast<std::uint64_t>(std::max<std::int64_t>(from - first, 0));
    before_ = run_->before + index_ * run_->bytes + cut;
    show(cut);
}

}  // namespace tutti::detail
