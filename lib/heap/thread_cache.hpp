// Freed blocks that a thread keeps for its next requests, so that a loop of malloc and free takes no lock.
#pragma once

#include <algorithm>
#include <cstddef>

#include "lib/heap/heap_blocks.hpp"
#include "lib/heap/report.hpp"

namespace tutti::heap {

/// The calling thread has one. Its blocks count as used in Blocks.
class ThreadCache {
public:
    /// Once, before the first use in any thread. False when the system cannot report the end of threads.
    static bool prepare() noexcept;
    static ThreadCache& mine() noexcept { return mine_; }
    static bool is_for(const Block& block) noexcept { return block.size() - kLine <= kMostCachedBytes; }

    /// A block for `bytes`, a served_size() of at most kMostCachedBytes; nullptr when it has none.
    Block* take(std::size_t bytes) noexcept
    {
        Block*& list = lists_[class_of(bytes)];
        Block* const block = list;
        if (block != nullptr) {
            if (!block->is(Block::kept)) [[unlikely]]
                stop_for_damage(block->data());
            list = block->next;
            bytes_ -= block->size();
            block->word ^= Block::kept;
        }
        return block;
    }
    /// A block that is_for() it. False when the cache is full: then flush(). An empty cache takes any block.
    bool keep(Block* block) noexcept
    {
        if (bytes_ + block->size() > most_bytes_ && !keeps_beyond()) [[unlikely]]
            return false;
        Block*& list = lists_[class_of(block->size() - kLine)];
        block->word ^= Block::kept;
        block->next = list;
        list = block;
        bytes_ += block->size();
        return true;
    }
    /// Calls give(block) for each of its blocks, which then is no longer its own.
    template <class Give>
    void flush(Give give) noexcept
    {
        for (Block** list = lists_; bytes_ != 0;) {
            while (*list == nullptr)
                ++list;
            Block* const block = *list;
            *list = block->next;
            bytes_ -= block->size();
            give(block);
        }
    }
    /// `used` bytes are in use by the whole program: if that is little, the cache keeps little.
    void fit_to(std::size_t used) noexcept
    {
        if (!has_ended_)
            most_bytes_ = std::clamp(used / kPart, kAlwaysKept, kMostBytes);
    }

    /// This process is a child, where nothing is kept.
    void end_in_child() noexcept
    {
        has_ended_ = true;
        most_bytes_ = 0;
    }

private:
    static constexpr std::size_t kMostBytes = std::size_t{512} << 10;
    static constexpr std::size_t kAlwaysKept = std::size_t{128} << 10;
    static constexpr std::size_t kPart = 16;

    bool keeps_beyond() noexcept;
    static void end(void* cache) noexcept;

    std::size_t bytes_ = 0;
    std::size_t most_bytes_ = 0;  // nothing before the thread's first free()
    bool has_ended_ = false;      // the thread's last destructors run
    Block* lists_[kClasses] = {};

    static constinit thread_local ThreadCache mine_;
};

}  // namespace tutti::heap
