#include "lib/heap/pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>

namespace tutti::heap {

namespace {

// Shorter runs stay: a call of the system costs more than they are worth.
constexpr std::size_t kLeastOldPages = 4;

}  // namespace

// Calls function(index, mask) for the words with the pages from `first` to before `last`.
template <class Function>
void Pages::visit(std::size_t first, std::size_t last, Function function) noexcept
{
    while (first < last) {
        const std::size_t bit = first % kWordBits;
        const std::size_t bits = std::min(last - first, kWordBits - bit);
        function(first / kWordBits, ~std::uint64_t{0} >> (kWordBits - bits) << bit);
        first += bits;
    }
}

void Pages::add(const std::byte* from, const std::byte* to) noexcept
{
    visit(page_at(from), page_from(to), [&](std::size_t word, std::uint64_t mask) {
        count_ += static_cast<std::size_t>(std::popcount(mask & ~held_[word]));
        held_[word] |= mask;
        recent_[word] |= mask;
    });
}

bool Pages::remove(const std::byte* from, const std::byte* to) noexcept
{
    std::uint64_t inside = 0;
    visit(page_from(from), page_at(to),
          [&](std::size_t word, std::uint64_t mask) { inside |= held_[word] & mask; });
    visit(page_at(from), page_from(to), [&](std::size_t word, std::uint64_t mask) {
        count_ -= static_cast<std::size_t>(std::popcount(mask & held_[word]));
        held_[word] &= ~mask;
    });
    return inside == 0;
}

std::size_t Pages::bytes_in(const std::byte* from, const std::byte* to) const noexcept
{
    std::size_t pages = 0;
    visit(page_from(from), page_at(to), [&](std::size_t word, std::uint64_t mask) {
        pages += static_cast<std::size_t>(std::popcount(mask & held_[word]));
    });
    return pages * kPage;
}

// The first page from `page` on whose bit is set in words(index), at most `last`.
template <class Words>
std::size_t Pages::find(std::size_t page, std::size_t last, Words words) noexcept
{
    while (page < last) {
        const std::uint64_t wanted = words(page / kWordBits) >> page % kWordBits;
        if (wanted != 0)
            return std::min(page + static_cast<std::size_t>(std::countr_zero(wanted)), last);
        page = (page / kWordBits + 1) * kWordBits;
    }
    return last;
}

// Gives back runs of at least `least` pages whose bits are set in words(index).
template <class Words>
void Pages::give_back_those(std::byte* from, const std::byte* to, int advice, std::size_t least,
                            Words words) noexcept
{
    const auto offset = static_cast<std::size_t>(from - base_);
    const std::size_t last = page_at(to);
    for (std::size_t page = find(page_from(from), last, words); page < last; page = find(page, last, words)) {
        const std::size_t end = find(page, last, [&](std::size_t word) { return ~words(word); });
        std::byte* const memory = from + (page * kPage - offset);
        if (end - page >= least && madvise(memory, (end - page) * kPage, advice) == 0)
            remove(memory, memory + (end - page) * kPage);
        page = end;
    }
}

void Pages::give_back(std::byte* from, const std::byte* to, int advice) noexcept
{
    give_back_those(from, to, advice, 1, [&](std::size_t word) { return held_[word]; });
}

void Pages::give_back_old(std::byte* from, const std::byte* to, int advice) noexcept
{
    give_back_those(from, to, advice, kLeastOldPages,
                    [&](std::size_t word) { return held_[word] & ~recent_[word]; });
}

void Pages::end_turn(const std::byte* to) noexcept
{
    std::fill_n(recent_, page_from(to) / kWordBits + 1, 0);
}

}  // namespace tutti::heap
