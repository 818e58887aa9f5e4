// How the data of messages travels of which a sender has several on their way at once: a window of messages.
//
// There a way costs what it takes from both ranks while both are busy. The time of one message does not tell
// that: what the sender has streamed while the receiver pulled earlier messages seems to come quickly. So a
// way is tried for a run of messages, which is longer than what can lie between the ranks, and counts by the
// time that messages of the run's second half take on average.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/engine/protocol/rendezvous_choice.hpp"

namespace tutti::protocol {

/// Messages that follow each other from one peer, the same way and of one class of size.
struct WindowRun {
    Way way = Way::stream;
    unsigned size_class = 0;
    unsigned count = 0;
    std::int64_t since_ns = 0;  // when the last quarter began
};

class WindowChoice {
public:
    /// For the sender. Empty: no advice has come yet.
    std::optional<Way> choose(std::size_t bytes) noexcept
    {
        Class& group = classes_[size_class(bytes)];
        const unsigned run = group.chosen++ / run_length(bytes);
        if (run < kFirstRuns)
            return run % 2 == 0 ? Way::stream : Way::pull;
        if (!group.advised)
            return std::nullopt;
        const bool retry = run % kRetryEvery == 0 || (run >= kFirstRetry && std::has_single_bit(run));
        return retry ? other(*group.advised) : *group.advised;
    }
    /// For the sender: takes the receiver's advice() for such messages. Ignores 0, and what is no advice.
    void follow(std::size_t bytes, std::uint64_t advice) noexcept
    {
        if (advice == 1 || advice == 2)
            classes_[size_class(bytes)].advised = static_cast<Way>(advice - 1);
    }
    /// For the receiver: a Way + 1, or 0 until both are timed.
    std::uint64_t advice(std::size_t bytes, bool exchange) const noexcept
    {
        const Times& times = times_[exchange][size_class(bytes)];
        if (times[0].ns == 0 || times[1].ns == 0)
            return 0;
        return RendezvousChoice::advise(
            times[index(Way::pull)].ns <= times[index(Way::stream)].ns ? Way::pull : Way::stream);
    }
    /// For the receiver: another message of `run` is complete. `exchange` as for RendezvousChoice::record().
    void record(WindowRun& run, Way way, std::size_t bytes, std::int64_t now_ns, bool exchange) noexcept
    {
        const unsigned group = size_class(bytes);
        if (run.count == 0 || run.way != way || run.size_class != group)
            run = {way, group, 0, 0};
        const unsigned quarter = run_length(bytes) / 4;
        if (++run.count % quarter != 0)
            return;
        const std::int64_t took_ns = now_ns - std::exchange(run.since_ns, now_ns);
        if (run.count > 2 * quarter)
            times_[exchange][group][index(way)].take(static_cast<double>(took_ns) / quarter *
                                                     (exchange && way == Way::stream ? 1.75 : 1));
    }

private:
    // So many bytes do not lie between two ranks: rings have up to 1 MiB, early bytes are 64 KiB a message.
    static constexpr std::size_t kRunBytes = 2u << 20;
    static constexpr unsigned kLongestRun = 32;
    static constexpr unsigned kShortestRun = 4;
    static constexpr unsigned kFirstRuns = 4;
    static constexpr unsigned kFirstRetry = 8;  // then after twice as many each time, up to kRetryEvery
    static constexpr unsigned kRetryEvery = 1024;
    static constexpr std::size_t kClasses = RendezvousChoice::kClasses;

    // As in RendezvousChoice, slower times count for little: a rank may have lost its core.
    struct Time {
        double ns = 0;

        void take(double took) noexcept
        {
            if (ns == 0)
                ns = took;
            else
                ns += took < ns ? (took - ns) / 2 : std::min(took - ns, ns) / 8;
        }
    };
    using Times = std::array<Time, 2>;  // by index()

    struct Class {
        unsigned chosen = 0;
        std::optional<Way> advised;
    };

    static std::size_t index(Way way) noexcept { return static_cast<std::size_t>(way); }
    static Way other(Way way) noexcept { return way == Way::pull ? Way::stream : Way::pull; }
    static unsigned size_class(std::size_t bytes) noexcept { return RendezvousChoice::size_class(bytes); }
    // The same for all sizes of a class.
    static unsigned run_length(std::size_t bytes) noexcept
    {
        return static_cast<unsigned>(
            std::clamp<std::size_t>(kRunBytes >> (size_class(bytes) - 1), kShortestRun, kLongestRun));
    }

    std::array<Class, kClasses> classes_{};
    std::array<std::array<Times, kClasses>, 2> times_{};  // the second: exchanged
};

/// Both choices of a transport, and their advice as one word.
struct WayChoice {
    RendezvousChoice single;
    WindowChoice window;

    /// For the sender. `in_window`: it has offered another message that is not answered.
    Way choose(std::size_t bytes, bool in_window) noexcept
    {
        const std::optional<Way> way = in_window ? window.choose(bytes) : std::nullopt;
        return way ? *way : single.choose(bytes);
    }
    void follow(std::size_t bytes, std::uint64_t advice) noexcept
    {
        single.follow(bytes, advice & 3);
        window.follow(bytes, advice >> 2 & 3);
    }
    std::uint64_t advice(std::size_t bytes, bool exchange) noexcept
    {
        return single.advice(bytes, exchange) | window.advice(bytes, exchange) << 2;
    }
    /// To choose this way for any message.
    static std::uint64_t advise(Way way) noexcept { return RendezvousChoice::advise(way) * 5; }
};

}  // namespace tutti::protocol
