// When pages of free memory go back to the system: new pages cost more than the work on them, but what nobody
// uses belongs to the system.
#pragma once

#include <algorithm>
#include <cstddef>

namespace tutti::heap {

/// Pages go back that stay free for a whole turn, as do those beyond a limit. In a turn as much is freed as
/// blocks in use and kept pages take, and several times the largest block. That is the clock algorithm of
/// page replacement (Corbato, "A Paging Experiment with the Multics System", 1968). Not for several threads
/// at once.
class Retention {
public:
    /// A block of so many bytes was freed.
    void note_freed(std::size_t bytes) noexcept
    {
        freed_ += bytes;
        largest_ = std::max(largest_, bytes);
    }
    /// True once a turn, where free memory keeps `kept` bytes beside `used` ones.
    bool ends_turn(std::size_t kept, std::size_t used) noexcept
    {
        if (freed_ < std::max({kLeastTurn, used + kept, kLargestATurn * largest_}))
            return false;
        freed_ = 0;
        largest_ = 0;
        return true;
    }
    /// How many of `kept` bytes may stay.
    std::size_t may_stay(std::size_t kept, std::size_t used) const noexcept
    {
        // A quarter more than last time is wanted: what was left then are pages between blocks in use.
        const std::size_t most = std::max(kMostKept + used / kPart, left_ + kMostKept / 4);
        return kept > most ? most - kMostKept / 4 : kept;
    }
    /// `left` bytes of the pages that had to go could not.
    void note_left(std::size_t left) noexcept { left_ = left; }

private:
    static constexpr std::size_t kLeastTurn = std::size_t{1} << 20;
    static constexpr std::size_t kLargestATurn = 4;
    static constexpr std::size_t kMostKept = std::size_t{32} << 20;
    static constexpr std::size_t kPart = 2;

    std::size_t freed_ = 0;  // in this turn
    std::size_t largest_ = 0;
    std::size_t left_ = 0;
};

}  // namespace tutti::heap
