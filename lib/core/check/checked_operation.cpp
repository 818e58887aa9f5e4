#include "lib/core/check/checked_operation.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "lib/foundation/datatype/transfer.hpp"

namespace tutti::check {

namespace {

std::size_t elements_of(const datatype::Typemap& layout, std::size_t size_bytes) noexcept
{
    return size_bytes / layout.size_bytes();
}

std::uint64_t add(std::uint64_t sum, std::span<const std::byte> bytes) noexcept
{
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15u;
    while (!bytes.empty()) {
        std::uint64_t word = 0;
        const std::size_t size = std::min(bytes.size(), sizeof word);
        std::memcpy(&word, bytes.data(), size);
        sum = (sum ^ word) * kFactor;
        sum ^= sum >> 32;
        bytes = bytes.subspan(size);
    }
    return sum;
}

}  // namespace

std::uint64_t CheckedOperation::checksum(std::size_t size_bytes) const
{
    if (data.layout == nullptr)
        return add(0, {data.data, size_bytes});
    std::array<std::byte, 4096> piece;
    std::uint64_t total = 0;
    for (std::size_t at = 0; at < size_bytes; at += piece.size()) {
        const std::span<std::byte> packed = std::span(piece).first(std::min(piece.size(), size_bytes - at));
        datatype::pack(*data.layout, elements_of(*data.layout, data.size_bytes), data.data, at, packed);
        total = add(total, packed);
    }
    return total;
}

void CheckedOperation::collect(std::size_t offset, std::span<std::byte> out) const
{
    if (offset < kNoteBytes) {
        const std::size_t size = std::min(out.size(), kNoteBytes - offset);
        std::memcpy(out.data(), reinterpret_cast<const std::byte*>(&note) + offset, size);
        out = out.subspan(size);
        offset += size;
    }
    if (out.empty())
        return;
    if (data.layout != nullptr)
        datatype::pack(*data.layout, elements_of(*data.layout, data.size_bytes), data.data,
                       offset - kNoteBytes, out);
    else
        std::memcpy(out.data(), data.data + (offset - kNoteBytes), out.size());
}

void CheckedOperation::deliver(protocol::ReceiveRequest& request, std::size_t offset,
                               std::span<const std::byte> bytes)
{
    const std::size_t end = offset + bytes.size();
    if (offset == 0 && sums)
        touched = checksum(data.size_bytes) != sum;
    if (offset < kNoteBytes) {
        const std::size_t size = std::min(bytes.size(), kNoteBytes - offset);
        std::memcpy(reinterpret_cast<std::byte*>(&note) + offset, bytes.data(), size);
        bytes = bytes.subspan(size);
        offset += size;
    }
    if (!bytes.empty() && data.layout != nullptr)
        datatype::unpack(*data.layout, elements_of(*data.layout, data.size_bytes), data.data,
                         offset - kNoteBytes, bytes);
    else if (!bytes.empty())
        std::memcpy(data.data + (offset - kNoteBytes), bytes.data(), bytes.size());
    if (arrived || end != std::min(request.status.size_bytes, request.capacity))
        return;
    // The last bytes: from now on the request speaks of the data alone.
    arrived = true;
    request.status.size_bytes -= kNoteBytes;
    request.capacity -= kNoteBytes;
    if (sums)
        sum = checksum(end - kNoteBytes);
}

}  // namespace tutti::check
