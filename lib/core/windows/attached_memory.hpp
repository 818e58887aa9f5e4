// What a rank has attached to a dynamic window, for the others of its node: they find memory there that they
// can map, and need not ask.
//
// It lies behind the window's control, in memory that ranks of the node map. Its rank writes, one thread at a
// time; others read at any time. For what is not in it they ask the rank by frames: memory that they cannot
// map, memory that is not attached, and pieces beyond kMost.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>

#include "transports/remote_memory.hpp"

namespace tutti::detail {

class AttachedMemory {
public:
    static constexpr std::size_t kMost = 256;

    /// In sizeof(AttachedMemory) bytes of any content, aligned to a line.
    static AttachedMemory& make(void* memory) noexcept { return *new (memory) AttachedMemory; }

    /// Its region's key is 0 where only threads of this process reach it.
    void add(std::uint64_t address, std::uint64_t bytes, const transport::RemoteRegion& region) noexcept
    {
        for (std::size_t i = 0; i < kMost; ++i) {
            Entry& entry = entries_[i];
            if (entry.bytes.load(std::memory_order_relaxed) != 0)
                continue;
            entry.set(address, bytes, region);
            if (i >= used_.load(std::memory_order_relaxed))
                used_.store(i + 1, std::memory_order_release);  // pairs with find()
            return;
        }
    }
    void remove(std::uint64_t address) noexcept
    {
        for (std::size_t i = 0; i < used_.load(std::memory_order_relaxed); ++i)
            if (entries_[i].address.load(std::memory_order_relaxed) == address)
                entries_[i].set(0, 0, {});
    }
    /// The region of these bytes, if they lie within one piece.
    std::optional<transport::RemoteRegion> find(std::uint64_t address, std::uint64_t bytes) const noexcept
    {
        const std::size_t used = used_.load(std::memory_order_acquire);
        for (std::size_t i = 0; i < used; ++i)
            if (const auto found = entries_[i].find(address, bytes))
                return found;
        return std::nullopt;
    }

private:
    // A sequence lock: a reader takes no entry that changes meanwhile, whose version is odd then, or another
    // one afterwards. A reader that gets a new value, with acquire, also gets the new version.
    struct Entry {
        std::atomic<std::uint32_t> version{0};
        std::atomic<std::uint64_t> address{0};
        std::atomic<std::uint64_t> bytes{0};  // 0: it is free
        std::atomic<std::uint64_t> region_address{0};
        std::atomic<std::uint64_t> key{0};

        void set(std::uint64_t to_address, std::uint64_t to_bytes,
                 const transport::RemoteRegion& region) noexcept
        {
            const std::uint32_t before = version.load(std::memory_order_relaxed);
            version.store(before + 1, std::memory_order_relaxed);
            address.store(to_address, std::memory_order_release);
            bytes.store(to_bytes, std::memory_order_release);
            region_address.store(region.address, std::memory_order_release);
            key.store(region.key, std::memory_order_release);
            version.store(before + 2, std::memory_order_release);
        }
        std::optional<transport::RemoteRegion> find(std::uint64_t wanted,
                                                    std::uint64_t wanted_bytes) const noexcept
        {
            const std::uint32_t before = version.load(std::memory_order_acquire);
            const std::uint64_t offset = wanted - address.load(std::memory_order_acquire);
            const std::uint64_t size = bytes.load(std::memory_order_acquire);
            const transport::RemoteRegion region{region_address.load(std::memory_order_acquire) + offset,
                                                 key.load(std::memory_order_acquire)};
            const bool is_there = offset < size && wanted_bytes <= size - offset;
            if (!is_there || before % 2 != 0 || version.load(std::memory_order_relaxed) != before)
                return std::nullopt;
            return region;
        }
    };

    AttachedMemory() noexcept = default;

    std::atomic<std::size_t> used_{0};  // entries from here on have never been used
    Entry entries_[kMost];
};

}  // namespace tutti::detail
