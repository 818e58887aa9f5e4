// How many bytes of pages free memory keeps: new pages cost more than the work on them, but what nobody uses
// belongs to the system.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tutti::heap {

/// Pages go back that nobody needed while several times the memory in use was freed, and what is beyond a
/// limit. Not for several threads at once.
class Retention {
public:
    /// Memory was taken, and free memory now keeps `kept` bytes.
    void note_taken(std::size_t kept) noexcept { least_kept_ = std::min(least_kept_, kept); }
    /// A block of so many bytes was freed.
    void note_freed(std::size_t bytes) noexcept
    {
        freed_ += bytes;
        largest_ = std::max(largest_, bytes);
    }
    /// So many of `kept` bytes, beside `used` ones.
    std::size_t may_stay(std::size_t kept, std::size_t used) noexcept
    {
        std::size_t stay = kept;
        if (freed_ >= kTurns * (used + kept)) {
            const std::size_t floor = std::max(kAlwaysKept, 2 * std::max(largest_, largest_before_));
            stay = std::min(kept, std::max(kept - std::min(kept, least_kept_), floor));
            freed_ = 0;
            least_kept_ = kept;
            largest_before_ = std::exchange(largest_, 0);
        }
        // A quarter more than last time is wanted: what was left then are pages between blocks in use.
        const std::size_t most = std::max(kMostKept + used / kPart, left_ + kMostKept / 4);
        return kept > most ? std::min(stay, most - kMostKept / 4) : stay;
    }
    /// Of the pages that had to go, `left` bytes could not.
    void note_left(std::size_t left) noexcept { left_ = left; }

private:
    static constexpr std::size_t kTurns = 8;
    static constexpr std::size_t kAlwaysKept = std::size_t{256} << 10;
    static constexpr std::size_t kMostKept = std::size_t{32} << 20;
    static constexpr std::size_t kPart = 2;

    std::size_t freed_ = 0;
    std::size_t least_kept_ = SIZE_MAX;
    std::size_t largest_ = 0;  // freed since pages last went back
    std::size_t largest_before_ = 0;
    std::size_t left_ = 0;
};

}  // namespace tutti::heap
