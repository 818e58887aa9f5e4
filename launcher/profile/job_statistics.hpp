// Where the time of a job has gone, computed from the profiles of its ranks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "launcher/profile/rank_profile.hpp"

namespace tutti::launcher {

/// Times are seconds.
struct Statistics {
    struct Rank {
        int rank = 0;
        std::string host;
        bool left = true;  // else it ended without leaving the job
        double seconds = 0;
        double computing = 0;   // in no call of Tutti
        double waiting = 0;     // in a call, with nothing to do
        double awaited = 0;     // by others
        int awaited_most = -1;  // the rank that it waits for most; -1: for none that is known
        double awaited_most_seconds = 0;

        double moving() const noexcept { return std::max(0.0, seconds - computing - waiting); }
    };
    /// Of all ranks: calls of one operation, size class and communicator; or of one line.
    struct Calls {
        std::uint64_t calls = 0;
        std::uint64_t bytes = 0;
        double seconds = 0;
        double waiting = 0;
        double least = 0;
        double most = 0;

        void add(const RankProfile::Calls& more);
    };
    struct Operation : Calls {
        std::string name;
        int size_class = 0;
        std::string communicator;
    };
    struct Line : Calls {
        std::string place;  // "main at jacobi.c:17"
    };
    struct Choice : Calls {
        std::string collective;
        std::string algorithm;
        int least_class = 0;
        int most_class = 0;
    };
    struct Pair {
        int from = 0;
        int to = 0;  // -1: all beyond observe::ProfileHeader::kMostPeers
        std::uint64_t messages = 0;
        std::uint64_t bytes = 0;
        std::uint64_t collective_messages = 0;  // of collectives, on top of these
        std::uint64_t collective_bytes = 0;

        std::uint64_t all_bytes() const noexcept { return bytes + collective_bytes; }
        std::uint64_t all_messages() const noexcept { return messages + collective_messages; }
    };

    /// Messages of all ranks, by the protocol that they took.
    struct Protocol {
        std::uint64_t messages = 0;
        std::uint64_t bytes = 0;
    };

    int job_ranks = 0;
    double seconds = 0;       // from the first that joined on its host to the last that left there
    std::vector<Rank> ranks;  // that have a profile, in order
    std::vector<int> missing;
    std::vector<Operation> operations;  // these three by their time
    std::vector<Line> lines;
    std::vector<Choice> choices;
    std::vector<Pair> pairs;  // by bytes
    std::array<Protocol, observe::kMessageProtocols> protocols{};
    std::uint64_t left_out_calls = 0;

    double total(double Rank::*part) const noexcept;
    /// Of the whole time of all ranks, from 0 to 1.
    double share(double Rank::*part) const noexcept;
    /// The most that a rank computes over the mean of all; 1: all alike.
    double imbalance() const noexcept;
    /// The rank for which the others wait: it waits clearly less than they do. nullptr: there is none.
    const Rank* slow() const noexcept;
    /// The mean of the others' waiting.
    double others_waiting(const Rank& but) const noexcept;

    static Statistics of(const std::vector<RankProfile>& profiles, const std::vector<std::string>& hosts);
};

/// "1 KiB", "4-7 B", "no data".
std::string size_class_in_words(int size_class);
/// "1.25 s", "3.1 ms", "420 ns".
std::string short_time(double seconds);
/// "37 %".
std::string share_in_words(double share);

}  // namespace tutti::launcher
