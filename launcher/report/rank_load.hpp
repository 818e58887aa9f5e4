// What ranks move and use: rates between two looks at a rank.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <tuple>

#include "launcher/report/page_view.hpp"
#include "launcher/report/process_state.hpp"

namespace tutti::launcher {

/// Of one rank, or the sum of several.
struct RankLoad {
    int ranks = 0;  // that are summed up
    double calls_per_second = 0;
    double messages_per_second = 0;  // sent and arrived
    double sent_bytes_per_second = 0;
    double arrived_bytes_per_second = 0;
    double processors = 0;  // 1: a whole one
    std::uint64_t resident_bytes = 0;
    std::uint64_t posted = 0;  // lengths of the queues of ranks that wait
    std::uint64_t unexpected = 0;

    void add(const RankLoad& other);
    /// No value is negative or no number.
    void check() const;

    static auto fields(auto& self)
    {
        return std::tie(self.ranks, self.calls_per_second, self.messages_per_second,
                        self.sent_bytes_per_second, self.arrived_bytes_per_second, self.processors,
                        self.resident_bytes, self.posted, self.unexpected);
    }
};

/// What a rank has done until a moment.
struct LoadSample {
    std::chrono::steady_clock::time_point time{};
    std::uint64_t calls = 0;
    std::uint64_t messages = 0;
    std::uint64_t sent_bytes = 0;
    std::uint64_t arrived_bytes = 0;
    std::uint64_t processor_ticks = 0;
    std::uint64_t resident_bytes = 0;

    static LoadSample of(const observe::StatusPage& page, const ProcessState& process);
};

/// Of one rank; without rates where no time lies between the two.
RankLoad load_between(const LoadSample& before, const LoadSample& now);

/// The last samples of a rank: rates are those of a second or so.
class LoadHistory {
public:
    void add(const LoadSample& sample);
    RankLoad load() const;

private:
    std::deque<LoadSample> samples_;
};

}  // namespace tutti::launcher
