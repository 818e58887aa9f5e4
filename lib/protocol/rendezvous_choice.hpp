// How the data of a matched rendezvous travels: streamed by the sender, or pulled by the receiver.
//
// Which is faster depends on the machine (what a cache line's trip and a remote read cost), on the message's
// size and on whether the sender is running at all. So each is tried and timed, by class of size, and the
// better one is kept; the other is tried again now and then, as a peer may have gone to sleep or woken.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tutti::protocol {

enum class Way : unsigned char { stream, pull };

class RendezvousChoice {
public:
    /// The way for a message of `bytes`.
    Way choose(std::size_t bytes) noexcept
    {
        Class& group = class_of(bytes);
        const unsigned number = group.chosen++;
        if (number < 2 * kFirstTries)
            return number % 2 == 0 ? Way::pull : Way::stream;
        const Way better = group.pull_ns <= group.stream_ns ? Way::pull : Way::stream;
        return number % kRetryEvery != 0 ? better : better == Way::pull ? Way::stream : Way::pull;
    }

    /// What one message took, from the match to the last byte.
    void record(Way way, std::size_t bytes, std::int64_t took_ns) noexcept
    {
        Class& group = class_of(bytes);
        double& known = way == Way::pull ? group.pull_ns : group.stream_ns;
        const auto took = static_cast<double>(took_ns);
        // A lucky or unlucky one counts a quarter; the first ones, which meet cold memory, only if no better
        // comes.
        known = known == 0                        ? took
                : group.chosen <= 2 * kFirstTries ? std::min(known, took)
                                                  : known + (took - known) / 4;
    }

private:
    static constexpr unsigned kFirstTries = 3;
    static constexpr unsigned kRetryEvery = 512;
    static constexpr std::size_t kClasses = 40;

    struct Class {
        unsigned chosen = 0;
        double pull_ns = 0;
        double stream_ns = 0;
    };

    Class& class_of(std::size_t bytes) noexcept
    {
        return classes_[std::min<std::size_t>(std::bit_width(bytes), kClasses - 1)];
    }

    std::array<Class, kClasses> classes_{};
};

}  // namespace tutti::protocol
