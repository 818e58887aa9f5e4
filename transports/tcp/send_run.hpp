// Which frames of a run of sends wait for those that follow them, so that one system call takes many.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tutti::transport::tcp {

/// A run is what send_soon() sends to one peer between two passes of progress. Its first frame leaves at
/// once: most runs have no other. Later ones are kept until the next pass, which mostly comes soon, as a
/// program that has started its sends waits for them. If it computes first, its peer lacks them meanwhile:
/// where that has happened no frame is kept for many runs, and for twice as many the next time.
class SendRun {
public:
    bool has_begun() const noexcept { return has_begun_; }
    /// Counts a frame. Whether it may be kept.
    bool may_keep_next() noexcept
    {
        if (has_begun_) [[likely]]
            return may_keep_;
        has_begun_ = true;
        may_keep_ = runs_without_ == 0;
        runs_without_ -= !may_keep_;
        return false;
    }
    /// A frame is kept. Whether it is time that all leave.
    bool keeps(std::int64_t now_ns) noexcept
    {
        if (!has_kept_) {
            has_kept_ = true;
            kept_since_ns_ = now_ns;
        }
        return now_ns - kept_since_ns_ >= kMostNs;
    }
    bool has_kept() const noexcept { return has_kept_; }
    /// All kept frames leave; the run goes on.
    void leave() noexcept { has_kept_ = false; }

    /// Ends the run with a pass of progress. Whether it has kept frames, which leave now.
    bool end(std::int64_t now_ns) noexcept
    {
        has_begun_ = false;
        if (!has_kept_)
            return false;
        has_kept_ = false;
        if (now_ns - kept_since_ns_ >= kLateNs) {
            runs_without_ = next_without_;
            next_without_ = std::min(2 * next_without_, kMostWithout);
        } else if (next_without_ > kFirstWithout) {
            --next_without_;
        }
        return true;
    }
    /// The peer is gone.
    void forget() noexcept { has_begun_ = has_kept_ = false; }

private:
    // A system call that sends takes 5 us: what a few of them cost, so that a receiver has work meanwhile.
    static constexpr std::int64_t kMostNs = 30'000;
    static constexpr std::int64_t kLateNs = 100'000;
    static constexpr unsigned kFirstWithout = 16;
    static constexpr unsigned kMostWithout = 4096;

    bool has_begun_ = false;
    bool may_keep_ = false;
    bool has_kept_ = false;
    std::int64_t kept_since_ns_ = 0;
    unsigned runs_without_ = 0;  // to come, in which no frame is kept
    unsigned next_without_ = kFirstWithout;
};

}  // namespace tutti::transport::tcp
