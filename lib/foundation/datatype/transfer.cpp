#include "lib/foundation/datatype/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "lib/foundation/base/copy.hpp"
#include "lib/foundation/datatype/every_second.hpp"
#include "tutti/error.hpp"

namespace tutti::datatype {

namespace {

// One direction of a transfer. Addresses are computed from the base each time: a pointer past the last block
// may be invalid. All functions move at least one byte.
template <bool kPacking>
class Mover {
public:
    Mover(std::byte* base, std::byte* wire) noexcept : base_(base), wire_(wire) {}

    // Bytes [from, from + size_bytes) of a shape at offset_bytes, or of a run if there is no shape.
    void piece(const Shape* shape, std::ptrdiff_t offset_bytes, std::size_t from, std::size_t size_bytes)
    {
        if (shape == nullptr)
            return run(offset_bytes + static_cast<std::ptrdiff_t>(from), size_bytes);
        switch (shape->kind) {
            case Shape::Kind::repeat:
                if (size_bytes == shape->size_bytes)
                    return whole_items(shape->item.get(), shape->item_bytes, shape->stride_bytes,
                                       offset_bytes, shape->count);
                return items(shape->item.get(), shape->item_bytes, shape->stride_bytes, offset_bytes, from,
                             size_bytes);
            case Shape::Kind::blocks:
                return blocks(*shape, offset_bytes, from, size_bytes);
            case Shape::Kind::sequence:
                return sequence(*shape, offset_bytes, from, size_bytes);
        }
    }

    // A range of items in a row, in three parts: the rest of one item, whole items, the beginning of one.
    void items(const Shape* item, std::size_t item_bytes, std::ptrdiff_t stride_bytes,
               std::ptrdiff_t offset_bytes, std::size_t from, std::size_t size_bytes)
    {
        std::ptrdiff_t place = offset_bytes;
        if (from != 0) {
            const std::size_t inside = from % item_bytes;
            place += stride_bytes * static_cast<std::ptrdiff_t>(from / item_bytes);
            if (inside != 0) {
                const std::size_t part = std::min(item_bytes - inside, size_bytes);
                piece(item, place, inside, part);
                size_bytes -= part;
                if (size_bytes == 0)
                    return;
                place += stride_bytes;
            }
        }
        const std::size_t count = size_bytes / item_bytes;
        const std::size_t rest = size_bytes % item_bytes;
        whole_items(item, item_bytes, stride_bytes, place, count);
        if (rest != 0)
            piece(item, place + stride_bytes * static_cast<std::ptrdiff_t>(count), 0, rest);
    }

private:
    void whole_items(const Shape* item, std::size_t item_bytes, std::ptrdiff_t stride_bytes,
                     std::ptrdiff_t offset_bytes, std::size_t count)
    {
        const auto place = [=](std::size_t index) {
            return offset_bytes + stride_bytes * static_cast<std::ptrdiff_t>(index);
        };
        if (item == nullptr) {
            if (!columns(item_bytes, stride_bytes, offset_bytes, count))
                runs(item_bytes, count, place);
            return;
        }
        for (std::size_t i = 0; i < count; ++i)
            piece(item, place(i), 0, item_bytes);
    }

    void run(std::ptrdiff_t offset_bytes, std::size_t size_bytes)
    {
        if constexpr (kPacking)
            base::copy_bytes(wire_, base_ + offset_bytes, size_bytes);
        else
            base::copy_bytes(base_ + offset_bytes, wire_, size_bytes);
        wire_ += size_bytes;
    }

    // Runs of an element each, at equal distances: a column. False for other sizes of elements.
    bool columns(std::size_t run_bytes, std::ptrdiff_t stride_bytes, std::ptrdiff_t offset_bytes,
                 std::size_t count)
    {
        std::byte* const first = base_ + offset_bytes;
        switch (run_bytes) {
            case 1:
                column<std::uint8_t>(first, stride_bytes, count);
                return true;
            case 2:
                column<std::uint16_t>(first, stride_bytes, count);
                return true;
            case 4:
                column<std::uint32_t>(first, stride_bytes, count);
                return true;
            case 8:
                column<std::uint64_t>(first, stride_bytes, count);
                return true;
            default:
                return false;
        }
    }

    // Every second element is so usual that it has code of its own: both directions go by vectors. Distances
    // are added, not multiplied with the index.
    template <class Element>
    void column(std::byte* object, std::ptrdiff_t stride_bytes, std::size_t count)
    {
        constexpr std::ptrdiff_t kEverySecond = 2 * sizeof(Element);
        if (stride_bytes != kEverySecond)
            return copy_column<Element>(object, stride_bytes, count);
        if constexpr (!kPacking) {
            const std::size_t spread = spread_every_second(object, wire_, sizeof(Element), count);
            wire_ += spread * sizeof(Element);
            object += 2 * spread * sizeof(Element);
            count -= spread;
        }
        copy_column<Element>(object, kEverySecond, count);
    }

    template <class Element>
    [[gnu::always_inline]] void copy_column(std::byte* object, std::ptrdiff_t stride_bytes, std::size_t count)
    {
        std::byte* wire = wire_;
        std::size_t offset = 0;  // unsigned: behind the last element it may be any
#pragma GCC unroll 8
        for (std::size_t i = 0; i < count; ++i) {
            std::byte* const place = object + static_cast<std::ptrdiff_t>(offset);
            if constexpr (kPacking)
                std::memcpy(wire, place, sizeof(Element));
            else
                std::memcpy(place, wire, sizeof(Element));
            wire += sizeof(Element);
            offset += static_cast<std::size_t>(stride_bytes);
        }
        wire_ = wire;
    }

    // Copies many small runs with a constant size, which the compiler turns into single moves: a column of
    // doubles must not call memcpy for each element. `offset_of` gives the place of each run. It is passed by
    // value, so that the compiler knows that the copies do not change it.
    template <std::size_t kBytes, class OffsetOf>
    void runs_of(std::size_t count, OffsetOf offset_of)
    {
        std::byte* const object = base_;
        std::byte* const wire = wire_;
        for (std::size_t i = 0; i < count; ++i) {
            if constexpr (kPacking)
                std::memcpy(wire + i * kBytes, object + offset_of(i), kBytes);
            else
                std::memcpy(object + offset_of(i), wire + i * kBytes, kBytes);
        }
        wire_ += count * kBytes;
    }

    // Any number of runs of one size.
    template <class OffsetOf>
    void runs(std::size_t run_bytes, std::size_t count, OffsetOf offset_of)
    {
        switch (run_bytes) {
            case 1:
                return runs_of<1>(count, offset_of);
            case 2:
                return runs_of<2>(count, offset_of);
            case 4:
                return runs_of<4>(count, offset_of);
            case 8:
                return runs_of<8>(count, offset_of);
            case 12:
                return runs_of<12>(count, offset_of);
            case 16:
                return runs_of<16>(count, offset_of);
            case 24:
                return runs_of<24>(count, offset_of);
            case 32:
                return runs_of<32>(count, offset_of);
            case 64:
                return runs_of<64>(count, offset_of);
            default:
                for (std::size_t i = 0; i < count; ++i)
                    run(offset_of(i), run_bytes);
        }
    }

    // The last entry of a list that starts at or before `from`.
    template <class List>
    static auto entry_at(const List& list, std::size_t from) noexcept
    {
        return std::prev(
            std::upper_bound(list.begin(), list.end(), from,
                             [](std::size_t wanted, const auto& entry) { return wanted < entry.start; }));
    }

    void blocks(const Shape& shape, std::ptrdiff_t offset_bytes, std::size_t from, std::size_t size_bytes)
    {
        if (shape.block_bytes != 0)
            return even_blocks(shape, offset_bytes, from, size_bytes);
        const bool are_runs = !shape.item && std::cmp_equal(shape.item_bytes, shape.stride_bytes);
        auto block = entry_at(shape.blocks, from);
        std::size_t inside = from - block->start;
        for (; size_bytes != 0; ++block) {
            const std::ptrdiff_t place = offset_bytes + block->offset_bytes;
            const std::size_t part = std::min(block[1].start - block->start - inside, size_bytes);
            if (are_runs)
                run(place + static_cast<std::ptrdiff_t>(inside), part);
            else
                items(shape.item.get(), shape.item_bytes, shape.stride_bytes, place, inside, part);
            size_bytes -= part;
            inside = 0;
        }
    }

    // Runs of one size, in three parts like items.
    void even_blocks(const Shape& shape, std::ptrdiff_t offset_bytes, std::size_t from,
                     std::size_t size_bytes)
    {
        const Shape::Block* block = shape.blocks.data() + from / shape.block_bytes;
        const std::size_t inside = from % shape.block_bytes;
        if (inside != 0) {
            const std::size_t part = std::min(shape.block_bytes - inside, size_bytes);
            run(offset_bytes + block->offset_bytes + static_cast<std::ptrdiff_t>(inside), part);
            size_bytes -= part;
            ++block;
        }
        const std::size_t count = size_bytes / shape.block_bytes;
        const std::size_t rest = size_bytes % shape.block_bytes;
        runs(shape.block_bytes, count, [=](std::size_t i) { return offset_bytes + block[i].offset_bytes; });
        if (rest != 0)
            run(offset_bytes + block[count].offset_bytes, rest);
    }

    void sequence(const Shape& shape, std::ptrdiff_t offset_bytes, std::size_t from, std::size_t size_bytes)
    {
        auto part = entry_at(shape.parts, from);
        std::size_t inside = from - part->start;
        for (; size_bytes != 0; ++part) {
            const std::size_t taken = std::min(part[1].start - part->start - inside, size_bytes);
            piece(part->shape.get(), offset_bytes + part->offset_bytes, inside, taken);
            size_bytes -= taken;
            inside = 0;
        }
    }

    std::byte* base_;
    std::byte* wire_;  // place of the next byte of the transfer
};

template <bool kPacking>
void transfer(const Typemap& type, std::size_t count, std::byte* base, std::size_t from, std::byte* wire,
              std::size_t size_bytes)
{
    std::size_t total = 0;
    if (__builtin_mul_overflow(type.size_bytes(), count, &total))
        total = SIZE_MAX;
    if (from > total || size_bytes > total - from) [[unlikely]]
        throw Error(
            ErrorCode::invalid_argument, "layout",
            fmt::format("bytes {} to {} were asked of a layout of {} bytes", from, from + size_bytes, total));
    if (size_bytes == 0)
        return;
    const Placed& element = type.placed();
    Mover<kPacking> mover(base, wire);
    if (count == 1 || type.is_contiguous())
        mover.piece(element.shape.get(), element.offset_bytes, from, size_bytes);
    else
        mover.items(element.shape.get(), element.size_bytes, type.extent_bytes(), element.offset_bytes, from,
                    size_bytes);
}

}  // namespace

void pack(const Typemap& type, std::size_t count, const std::byte* base, std::size_t from,
          std::span<std::byte> out)
{
    // The same code serves both directions; packing only reads the object.
    transfer<true>(type, count, const_cast<std::byte*>(base), from, out.data(), out.size());
}

void unpack(const Typemap& type, std::size_t count, std::byte* base, std::size_t from,
            std::span<const std::byte> in)
{
    transfer<false>(type, count, base, from, const_cast<std::byte*>(in.data()), in.size());
}

}  // namespace tutti::datatype
