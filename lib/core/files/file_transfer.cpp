#include "lib/core/files/file_transfer.hpp"

namespace tutti::detail {

FileRunList FileTransfer::runs() const
{
    FileRunList list;
    for_each_piece([&](std::int64_t place, const std::byte* data, std::size_t bytes) {
        list.add(place, reinterpret_cast<std::uintptr_t>(data), bytes);
    });
    return list;
}

FileOutcome FileTransfer::move() const
{
    FileBatch batch(file.descriptor(), writes);
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
