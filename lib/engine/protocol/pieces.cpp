#include "lib/engine/protocol/pieces.hpp"

#include <algorithm>
#include <memory>

#include "lib/foundation/base/copy.hpp"

namespace tutti::protocol {

namespace {

// Calls visit(bytes) for each place, in order, in which there is something of [offset, offset + size_bytes).
template <class Visit>
void for_each_place(transport::Parts parts, std::size_t offset, std::size_t size_bytes, Visit&& visit)
{
    for (const std::span<const std::byte> part : parts) {
        const std::size_t skipped = std::min(offset, part.size());
        const std::size_t size = std::min(part.size() - skipped, size_bytes);
        if (size != 0)
            visit(part.subspan(skipped, size));
        offset -= skipped;
        size_bytes -= size;
    }
}

}  // namespace

std::span<const std::byte> collect(SendRequest& request, std::size_t size_bytes)
{
    if (request.collected == nullptr)
        request.collected =
            std::make_unique_for_overwrite<std::byte[]>(std::min(request.data.size(), kPieceBytes));
    const std::span<std::byte> piece(request.collected.get(), size_bytes);
    if (request.collected_end != request.sent + size_bytes) {
        request.collect(request, request.sent, piece);
        request.collected_end = request.sent + size_bytes;
    }
    return piece;
}

void collect_parts(const SendRequest& request, std::size_t offset, std::span<std::byte> out)
{
    std::byte* to = out.data();
    for_each_place(request.parts, offset, out.size(), [&to](std::span<const std::byte> bytes) {
        base::copy_bytes(to, bytes.data(), bytes.size());
        to += bytes.size();
    });
}

void copy_out(const SendRequest& request, std::span<std::byte> out)
{
    if (request.collect != nullptr)
        request.collect(request, 0, out);
    else if (!request.parts.empty())
        collect_parts(request, 0, out);
    else
        base::copy_bytes(out.data(), request.data.data(), out.size());
}

PartsOf::PartsOf(const SendRequest& request, std::size_t offset, std::size_t size_bytes) noexcept
{
    for_each_place(request.parts, offset, size_bytes,
                   [this](std::span<const std::byte> bytes) { parts_[count_++] = bytes; });
}

}  // namespace tutti::protocol
