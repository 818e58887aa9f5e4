// Pairs of key and value, one for each key: the table in which map_reduce combines what comes for a key.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/error.hpp"

namespace tutti::detail {

/// How a key is handed over: a string without a copy of it.
template <class Key>
struct KeyViewOf {
    using type = const Key&;
};
template <>
struct KeyViewOf<std::string> {
    using type = std::string_view;
};
template <class Key>
using KeyView = typename KeyViewOf<Key>::type;

// Both halves of a product of 128 bits: each bit of the operands reaches many of the result (the mixing step
// of Wang Yi's wyhash, https://github.com/wangyi-fudan/wyhash).
constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) noexcept
{
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t word_at(const unsigned char* bytes) noexcept
{
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

// Up to eight bytes as one number, by reads that overlap: a copy of so many bytes would be a call.
inline std::uint64_t short_word_at(const unsigned char* bytes, std::size_t size_bytes) noexcept
{
    if (size_bytes >= 4) {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
        std::memcpy(&first, bytes, sizeof first);
        std::memcpy(&last, bytes + size_bytes - sizeof last, sizeof last);
        return std::uint64_t{first} << 32 | last;
    }
    if (size_bytes == 0)
        return 0;
    return std::uint64_t{bytes[0]} << 16 | std::uint64_t{bytes[size_bytes / 2]} << 8 | bytes[size_bytes - 1];
}

inline std::uint64_t hash_of_bytes(const void* data, std::size_t size_bytes) noexcept
{
    constexpr std::uint64_t kOne = 0x9e3779b97f4a7c15u;
    constexpr std::uint64_t kOther = 0xd6e8feb86659fd93u;
    const auto* next = static_cast<const unsigned char*>(data);
    std::uint64_t hash = size_bytes * kOne;
    std::size_t left = size_bytes;
    for (; left > 8; left -= 8, next += 8)
        hash = mixed(hash ^ word_at(next) ^ kOne, kOther);
    return mixed(hash ^ short_word_at(next, left), kOther ^ size_bytes);
}

/// Equal in all ranks of a job, which run one program.
template <class Key>
std::uint64_t hash_of(const Key& key) noexcept
{
    if constexpr (std::is_convertible_v<const Key&, std::string_view>) {
        const std::string_view text = key;
        return hash_of_bytes(text.data(), text.size());
    } else if constexpr (std::has_unique_object_representations_v<Key>) {
        return hash_of_bytes(&key, sizeof key);
    } else {
        const std::uint64_t hash = std::hash<Key>()(key);
        return hash_of_bytes(&hash, sizeof hash);
    }
}

/// Memory of an object outside of itself, as far as it can be known.
template <class T>
std::size_t heap_bytes(const T& object) noexcept
{
    if constexpr (std::is_same_v<T, std::string>)
        return object.capacity() < sizeof object / 2 ? 0 : object.capacity() + 1;
    else if constexpr (requires { object.capacity(), sizeof *object.data(); })
        return object.capacity() * sizeof *object.data();
    else
        return 0;
}

/// A hash table with open addressing: slots that lead to pairs in the order of their first coming.
template <class Key, class Value>
class PairTable {
public:
    using Pair = std::pair<Key, Value>;

    /// Adds the pair, or calls combine(Value& known, Value&& more) for a key that is known. `hash`:
    /// hash_of(key).
    template <class Combine>
    void add(std::uint64_t hash, KeyView<Key> key, Value&& value, Combine&& combine)
    {
        if (2 * (pairs_.size() + 1) > slots_.size())
            grow();
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        for (std::size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
            Slot& slot = slots_[i];
            if (slot.pair == 0) {
                pairs_.emplace_back(Key(key), std::move(value));
                slot = {tag, static_cast<std::uint32_t>(pairs_.size())};
                outside_ += heap_bytes(pairs_.back().first) + heap_bytes(pairs_.back().second);
                return;
            }
            Pair& known = pairs_[slot.pair - 1];
            if (slot.tag == tag && known.first == key) {
                outside_ -= heap_bytes(known.second);
                combine(known.second, std::move(value));
                outside_ += heap_bytes(known.second);
                return;
            }
        }
    }

    /// nullptr: there is none. Valid until the next change.
    const Value* find(std::uint64_t hash, KeyView<Key> key) const noexcept
    {
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        for (std::size_t i = hash & (slots_.size() - 1); !slots_.empty(); i = (i + 1) & (slots_.size() - 1)) {
            const Slot& slot = slots_[i];
            if (slot.pair == 0)
                return nullptr;
            if (slot.tag == tag && pairs_[slot.pair - 1].first == key)
                return &pairs_[slot.pair - 1].second;
        }
        return nullptr;
    }

    bool empty() const noexcept { return pairs_.empty(); }
    std::size_t size() const noexcept { return pairs_.size(); }
    /// Of memory: the pairs, what they have outside of themselves, and the slots.
    std::size_t size_bytes() const noexcept
    {
        return pairs_.size() * sizeof(Pair) + slots_.size() * sizeof(Slot) + outside_;
    }
    const std::vector<Pair>& pairs() const noexcept { return pairs_; }
    /// Keeps its memory for pairs to come.
    void clear() noexcept
    {
        pairs_.clear();
        std::ranges::fill(slots_, Slot{});
        outside_ = 0;
    }
    /// The pairs; the table is empty afterwards.
    std::vector<Pair> take() noexcept
    {
        slots_ = {};
        outside_ = 0;
        return std::exchange(pairs_, {});
    }

private:
    struct Slot {
        std::uint32_t tag = 0;   // the hash's upper half
        std::uint32_t pair = 0;  // its number, from 1; 0: none
    };

    void grow()
    {
        if (pairs_.size() >= (std::size_t{1} << 31))
            throw Error(
                ErrorCode::out_of_memory, "map_reduce",
                "one rank has 2^31 keys in its memory; use more ranks, or set a smaller memory_bytes");
        slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), {});
        for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
            const std::uint64_t hash = hash_of(pairs_[pair].first);
            std::size_t i = hash & (slots_.size() - 1);
            while (slots_[i].pair != 0)
                i = (i + 1) & (slots_.size() - 1);
            slots_[i] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint32_t>(pair + 1)};
        }
    }

    std::vector<Pair> pairs_;
    std::vector<Slot> slots_;  // a power of two
    std::size_t outside_ = 0;
};

}  // namespace tutti::detail
