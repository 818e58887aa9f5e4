// A hash table from (context, source, tag) to entries in insertion order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "lib/foundation/base/intrusive_list.hpp"
#include "lib/foundation/observe/match_key.hpp"

namespace tutti::matching {

using observe::MatchKey;

/// Links and key of an entry of one table. An entry of several tables inherits a hook for each Tag.
template <class Tag>
struct TableHook : base::ListHook<Tag> {
    MatchKey key;
};

/// Insertion, removal and look-up take expected constant time: buckets grow with the number of entries.
/// find() returns entries with equal keys in insertion order. The caller owns the entries.
template <class T, class Tag>
class MatchTable {
public:
    MatchTable() { allocate(kFirstBuckets); }

    bool empty() const noexcept { return count_ == 0; }
    std::size_t size() const noexcept { return count_; }

    /// The entry's key is set and must not change while the entry is in the table.
    void insert(T& entry)
    {
        if (count_ >= bucket_count_) [[unlikely]]
            grow();
        bucket(key_of(entry)).push_back(entry);
        ++count_;
    }

    /// The oldest entry with `key`, or nullptr.
    T* find(const MatchKey& key) noexcept
    {
        Bucket& chain = bucket(key);
        for (T* entry = chain.front(); entry != nullptr; entry = chain.after(*entry))
            if (key_of(*entry) == key)
                return entry;
        return nullptr;
    }

    /// Calls visit(entry) for each entry, in no order; visit may remove that entry.
    template <class Visit>
    void for_each(Visit&& visit)
    {
        for (std::size_t i = 0; i < bucket_count_; ++i) {
            for (T* entry = buckets_[i].front(); entry != nullptr;) {
                T* next = buckets_[i].after(*entry);
                visit(*entry);
                entry = next;
            }
        }
    }

    void remove(T& entry) noexcept
    {
        Bucket::remove(entry);
        --count_;
    }

private:
    using Bucket = base::IntrusiveList<T, Tag>;
    static constexpr std::size_t kFirstBuckets = 64;

    static const MatchKey& key_of(T& entry) noexcept { return static_cast<TableHook<Tag>&>(entry).key; }

    static std::uint64_t hash(const MatchKey& key) noexcept
    {
        const std::uint64_t mixed =
            (key.source_and_tag ^ key.context * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
        return mixed ^ (mixed >> 32);
    }

    // The same key often comes many times in a row, and a predicted compare is faster than a hash.
    Bucket& bucket(const MatchKey& key) noexcept
    {
        if (last_bucket_ == nullptr || key != last_key_) {
            last_key_ = key;
            last_bucket_ = &buckets_[hash(key) & (bucket_count_ - 1)];
        }
        return *last_bucket_;
    }

    void allocate(std::size_t count)
    {
        buckets_ = std::make_unique<Bucket[]>(count);
        bucket_count_ = count;
        last_bucket_ = nullptr;
    }

    [[gnu::noinline]] void grow()
    {
        auto old = std::move(buckets_);
        const std::size_t old_count = bucket_count_;
        allocate(4 * old_count);
        for (std::size_t i = 0; i < old_count; ++i)
            while (T* entry = old[i].pop_front())
                bucket(key_of(*entry)).push_back(*entry);
    }

    std::unique_ptr<Bucket[]> buckets_;
    std::size_t bucket_count_ = 0;
    std::size_t count_ = 0;
    MatchKey last_key_;
    Bucket* last_bucket_ = nullptr;
};

}  // namespace tutti::matching
