#include "lib/core/files/file_batch.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tutti::detail {

void FileBatch::add(std::int64_t place, std::byte* memory, std::size_t bytes)
{
    // Runs of several ranks may overlap: one that reaches behind the file's end says nothing of the next.
    if (trouble_ || place >= end_of_file_)
        return;
    if (count_ != 0 && place != end_ && !bridges(place))
        move();
    while (bytes != 0) {
        if (count_ != 0 && is_full(std::min(bytes, kShortBytes)))
            move();
        if (count_ == 0)
            begin_ = end_ = place;
        const std::size_t part = std::min(bytes, kMostBytes - static_cast<std::size_t>(end_ - begin_));
        if (part < kShortBytes)
            stage(place, memory, part);
        else
            append(memory, part);
        end_ += static_cast<std::int64_t>(part);
        place += static_cast<std::int64_t>(part);
        memory += part;
        bytes -= part;
    }
}

bool FileBatch::is_full(std::size_t more_bytes) const noexcept
{
    // A gap takes a place, too.
    return count_ + 2 > kMostPlaces || buffered_ + kShortBytes > kStagedBytes ||
           static_cast<std::size_t>(end_ - begin_) + more_bytes > kMostBytes;
}

// Reads what lies between two runs, for nobody.
bool FileBatch::bridges(std::int64_t place)
{
    if (writes_ || place < end_ || place - end_ > static_cast<std::int64_t>(kGapBytes) ||
        is_full(2 * kGapBytes))
        return false;
    if (!gap_)
        gap_ = std::make_unique_for_overwrite<std::byte[]>(kGapBytes);
    places_[count_++] = {gap_.get(), static_cast<std::size_t>(place - end_)};
    end_ = place;
    return true;
}

void FileBatch::append(std::byte* memory, std::size_t bytes)
{
    if (count_ != 0) {
        iovec& last = places_[count_ - 1];
        if (static_cast<std::byte*>(last.iov_base) + last.iov_len == memory) {
            last.iov_len += bytes;
            return;
        }
    }
    places_[count_++] = {memory, bytes};
}

void FileBatch::stage(std::int64_t place, std::byte* memory, std::size_t bytes)
{
    if (!buffer_)
        buffer_ = std::make_unique_for_overwrite<std::byte[]>(kStagedBytes);
    std::byte* const copy = buffer_.get() + buffered_;
    if (writes_)
        std::memcpy(copy, memory, bytes);
    else
        staged_.push_back({memory, bytes, place});
    append(copy, bytes);
    buffered_ += bytes;
}

void FileBatch::move()
{
    std::int64_t place = begin_;
    std::size_t first = 0;
    while (first < count_ && !trouble_) {
        std::int64_t moved = call(place, first);
        if (moved < 0) {
            if (errno != EINTR)
                trouble_ = {errno, place};
            continue;
        }
        if (moved == 0) {
            if (writes_)
                trouble_ = {ENOSPC, place};
            else
                end_of_file_ = std::min(end_of_file_, place);
            break;
        }
        place += moved;
        while (first < count_ && static_cast<std::size_t>(moved) >= places_[first].iov_len)
            moved -= static_cast<std::int64_t>(places_[first++].iov_len);
        if (moved != 0) {
            places_[first].iov_base = static_cast<std::byte*>(places_[first].iov_base) + moved;
            places_[first].iov_len -= static_cast<std::size_t>(moved);
        }
    }
    unstage(place);
    count_ = 0;
    buffered_ = 0;
}

std::int64_t FileBatch::call(std::int64_t place, std::size_t first)
{
    const auto count = static_cast<int>(count_ - first);
    if (count == 1)
        return writes_ ? pwrite(descriptor_, places_[first].iov_base, places_[first].iov_len, place)
                       : pread(descriptor_, places_[first].iov_base, places_[first].iov_len, place);
    return writes_ ? pwritev(descriptor_, &places_[first], count, place)
                   : preadv(descriptor_, &places_[first], count, place);
}

// What was read lies in the buffer in its order, up to `end` in the file.
void FileBatch::unstage(std::int64_t end)
{
    const std::byte* copy = buffer_.get();
    for (const Staged& staged : staged_) {
        const std::int64_t there =
            std::clamp<std::int64_t>(end - staged.place, 0, static_cast<std::int64_t>(staged.bytes));
        std::memcpy(staged.memory, copy, static_cast<std::size_t>(there));
        copy += staged.bytes;
    }
    staged_.clear();
}

}  // namespace tutti::detail
