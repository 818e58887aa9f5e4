// A hash table of 64-bit keys, which only grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::detail {

/// Spreads keys that differ in few bits: the finalizer of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood,
/// "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
constexpr std::uint64_t spread(std::uint64_t key) noexcept
{
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    return key ^ (key >> 31);
}

/// Open addressing with linear probes, at most half full (D. E. Knuth, The Art of Computer Programming
/// 3, 6.4, algorithm L).
template <class Value>
class KeyMap {
public:
    std::size_t size() const noexcept { return size_; }

    /// nullptr: there is none. Valid until the next add().
    Value* find(std::uint64_t key) noexcept
    {
        if (slots_.empty())
            return nullptr;
        Slot& slot = slots_[place_of(key)];
        return slot.is_used ? &slot.value : nullptr;
    }
    /// `key` is new.
    void add(std::uint64_t key, const Value& value)
    {
        if (2 * (size_ + 1) > slots_.size())
            grow();
        slots_[place_of(key)] = {key, true, value};
        ++size_;
    }
    template <class Visit>
    void for_each(Visit&& visit) const
    {
        for (const Slot& slot : slots_)
            if (slot.is_used)
                visit(slot.key, slot.value);
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        bool is_used = false;
        Value value{};
    };

    // Where the key is, or could be.
    std::size_t place_of(std::uint64_t key) const noexcept
    {
        const std::size_t mask = slots_.size() - 1;
        std::size_t place = spread(key) & mask;
        while (slots_[place].is_used && slots_[place].key != key)
            place = (place + 1) & mask;
        return place;
    }
    void grow()
    {
        std::vector<Slot> before = std::exchange(slots_, {});
        slots_.resize(before.empty() ? 64 : 2 * before.size());
        for (const Slot& slot : before)
            if (slot.is_used)
                slots_[place_of(slot.key)] = slot;
    }

    std::vector<Slot> slots_;  // a power of two
    std::size_t size_ = 0;
};

}  // namespace tutti::detail
