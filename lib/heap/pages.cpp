#include "lib/heap/pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>

namespace tutti::heap {

// Calls function(word, mask) for the words with the pages from `first` to before `last`.
template <class Function>
void Pages::visit(std::size_t first, std::size_t last, Function function) noexcept
{
    while (first < last) {
        const std::size_t bit = first % kWordBits;
        const std::size_t bits = std::min(last - first, kWordBits - bit);
        function(held_[first / kWordBits], ~std::uint64_t{0} >> (kWordBits - bits) << bit);
        first += bits;
    }
}

void Pages::add(const std::byte* from, const std::byte* to) noexcept
{
    visit(page_at(from), page_from(to), [&](std::uint64_t& word, std::uint64_t mask) {
        count_ += static_cast<std::size_t>(std::popcount(mask & ~word));
        word |= mask;
    });
}

bool Pages::remove(const std::byte* from, const std::byte* to) noexcept
{
    std::uint64_t inside = 0;
    visit(page_from(from), page_at(to),
          [&](const std::uint64_t& word, std::uint64_t mask) { inside |= word & mask; });
    visit(page_at(from), page_from(to), [&](std::uint64_t& word, std::uint64_t mask) {
        count_ -= static_cast<std::size_t>(std::popcount(mask & word));
        word &= ~mask;
    });
    return inside == 0;
}

// The first page from `page` on that holds data, or that holds none; at most `last`.
std::size_t Pages::find(std::size_t page, std::size_t last, bool held) const noexcept
{
    while (page < last) {
        const std::uint64_t word = held_[page / kWordBits];
        const std::uint64_t wanted = (held ? word : ~word) >> page % kWordBits;
        if (wanted != 0)
            return std::min(page + static_cast<std::size_t>(std::countr_zero(wanted)), last);
        page = (page / kWordBits + 1) * kWordBits;
    }
    return last;
}

void Pages::give_back(std::byte* from, const std::byte* to, int advice) noexcept
{
    const auto offset = static_cast<std::size_t>(from - base_);
    const std::size_t last = page_at(to);
    for (std::size_t page = find(page_from(from), last, true); page < last; page = find(page, last, true)) {
        const std::size_t end = find(page, last, false);
        std::byte* const memory = from + (page * kPage - offset);
        if (madvise(memory, (end - page) * kPage, advice) == 0)
            remove(memory, memory + (end - page) * kPage);
        page = end;
    }
}

}  // namespace tutti::heap
