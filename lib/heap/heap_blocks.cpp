#include "lib/heap/heap_blocks.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>

#include "lib/heap/report.hpp"

namespace tutti::heap {

namespace {

// Shorter free blocks keep their pages: a call of the system for each would cost more than they are worth.
constexpr std::size_t kGiveBackFrom = 32u << 10;

constexpr std::size_t kFirst = kPage + kLine - Block::kHeader;  // behind the page that is not ours

}  // namespace

void Blocks::start(std::byte* base, std::size_t bytes) noexcept
{
    pages_.start(base);
    auto* const all = reinterpret_cast<Block*>(base + kFirst);
    const std::size_t size = (bytes - kFirst) / kLine * kLine;
    all->begin(size);
    end_ = all->end();
    top_ = base + kPage;
    insert(all);
}

// Blocks in the same list differ by less than a sixteenth.
std::size_t Blocks::list_of(std::size_t size) noexcept
{
    const unsigned log2 = log2_of(size);
    const std::size_t within = size >> (log2 - kClassBits) & ((1u << kClassBits) - 1);
    return static_cast<std::size_t>(log2 - log2_of(kLeast)) << kClassBits | within;
}

// The block at the lowest address, of the first ones of a list: so free memory gathers at high addresses,
// where nobody touches it.
Block* Blocks::lowest_in(std::size_t list) const noexcept
{
    Block* lowest = lists_[list];
    unsigned looks = 0;
    for (Block* block = lowest; block != nullptr && looks < kMostLooks; block = block->next, ++looks)
        lowest = std::min(lowest, block, std::less<>());
    return lowest;
}

// Any block in a list behind the size's own fits, one of the first such list nearly best. The own list also
// has blocks that are too small.
Block* Blocks::find(std::size_t size) const noexcept
{
    const std::size_t own = list_of(size);
    Block* best = nullptr;
    unsigned looks = 0;
    for (Block* block = lists_[own]; block != nullptr && looks < kMostLooks; block = block->next, ++looks)
        if (block->size() >= size && (best == nullptr || block->size() < best->size()))
            best = block;
    if (best != nullptr)
        return best;
    for (std::size_t list = own + 1; list < kLists; list = (list / 64 + 1) * 64)
        if (const std::uint64_t filled = filled_[list / 64] >> list % 64; filled != 0)
            return lowest_in(list + static_cast<std::size_t>(std::countr_zero(filled)));
    return nullptr;
}

Block* Blocks::after(Block* block) noexcept
{
    return block->end() < end_ ? reinterpret_cast<Block*>(block->end()) : nullptr;
}

void Blocks::insert(Block* block) noexcept
{
    const std::size_t list = list_of(block->size());
    block->become(Block::free);
    block->next = lists_[list];
    block->previous = nullptr;
    if (block->next != nullptr)
        block->next->previous = block;
    lists_[list] = block;
    filled_[list / 64] |= std::uint64_t{1} << list % 64;
}

void Blocks::take_out(Block* block) noexcept
{
    if (!block->is(Block::free)) [[unlikely]]
        stop_for_damage(block->data());
    const std::size_t list = list_of(block->size());
    block->become(Block::in_use);
    if (block->next != nullptr)
        block->next->previous = block->previous;
    if (block->previous != nullptr)
        block->previous->next = block->next;
    else if ((lists_[list] = block->next) == nullptr)
        filled_[list / 64] &= ~(std::uint64_t{1} << list % 64);
}

// Shortens `block`, which is in no list, and returns the rest as a block in no list.
Block* Blocks::cut_off(Block* block, std::size_t size) noexcept
{
    auto* const rest = reinterpret_cast<Block*>(block->start() + size);
    rest->begin(block->size() - size);
    rest->before = block;
    block->begin(size);
    if (Block* const next = after(rest))
        next->before = rest;
    return rest;
}

Blocks::Taken Blocks::take(std::size_t size, std::size_t alignment) noexcept
{
    const bool is_aligned = alignment <= kLine;
    Block* block = find(is_aligned ? size : size + alignment + kLeast);
    if (block == nullptr)
        return {nullptr, false};
    take_out(block);
    const auto address = reinterpret_cast<std::uintptr_t>(block->data());
    if (!is_aligned && address % alignment != 0) {
        Block* const front = block;
        block = cut_off(front, round_up(address + kLeast, alignment) - address);
        insert(front);
    }
    if (block->size() >= size + kLeast)
        insert(cut_off(block, size));
    return {block, count_as_used(block, block->start())};
}

void Blocks::give(Block* block) noexcept
{
    used_bytes_ -= block->size();
    block->become(Block::in_use);
    pages_.add(block->start(), block->end());
    if (Block* const next = after(block); next != nullptr && next->is(Block::free)) {
        take_out(next);
        // The header and links of the neighbour lie within free memory from here on.
        pages_.add(next->start(), next->start() + sizeof(Block));
        block->absorb(*next);
    }
    if (block->before != nullptr && block->before->is(Block::free)) {
        take_out(block->before);
        block->before->absorb(*block);
        block = block->before;
    }
    if (Block* const next = after(block))
        next->before = block;
    insert(block);
}

bool Blocks::resize(Block* block, std::size_t size) noexcept
{
    if (size <= block->size()) {
        if (block->size() >= size + kLeast)
            give(cut_off(block, size));
        return true;
    }
    Block* const next = after(block);
    if (next == nullptr || !next->is(Block::free) || block->size() + next->size() < size)
        return false;
    take_out(next);
    const std::byte* const old_end = block->end();
    block->absorb(*next);
    if (Block* const behind = after(block))
        behind->before = block;
    if (block->size() >= size + kLeast)
        insert(cut_off(block, size));
    count_as_used(block, old_end);
    return true;
}

// Counts the block from `from` on as used; returns the answer of Pages::remove().
bool Blocks::count_as_used(Block* block, const std::byte* from) noexcept
{
    used_bytes_ += static_cast<std::size_t>(block->end() - from);
    const std::byte* const behind = block->end() < end_ ? block->end() + sizeof(Block) : end_;
    top_ = std::max(top_, behind);
    return pages_.remove(from, block->end());
}

// Calls go_on(from, to) with the memory of free blocks that was ever in use and whose pages are worth a call
// of the system; long blocks first, while it answers true.
template <class GoOn>
void Blocks::visit_long_free(GoOn go_on) noexcept
{
    const std::size_t least = list_of(kGiveBackFrom);
    for (std::size_t word = std::size(filled_); word-- > least / 64;)
        for (std::uint64_t filled = filled_[word]; filled != 0;) {
            const auto bit = static_cast<std::size_t>(log2_of(filled));
            filled &= ~(std::uint64_t{1} << bit);
            if (word * 64 + bit < least)
                return;
            for (Block* block = lists_[word * 64 + bit]; block != nullptr; block = block->next)
                if (!go_on(block->start() + sizeof(Block), std::min<const std::byte*>(block->end(), top_)))
                    return;
        }
}

void Blocks::give_back_pages(std::size_t keep, int advice) noexcept
{
    visit_long_free([&](std::byte* from, const std::byte* to) {
        if (pages_.bytes() <= keep)
            return false;
        // The next request gets a block's beginning: its pages stay if not all have to go.
        const std::size_t there = pages_.bytes_in(from, to);
        const std::size_t too_many = pages_.bytes() - keep;
        pages_.give_back(from + (there > too_many ? there - too_many : 0), to, advice);
        return true;
    });
}

void Blocks::give_back_old_pages(int advice) noexcept
{
    visit_long_free([&](std::byte* from, const std::byte* to) {
        pages_.give_back_old(from, to, advice);
        return true;
    });
    pages_.end_turn(top_);
}

}  // namespace tutti::heap
