// How the data of a matched rendezvous travels: streamed by the sender, or pulled by the receiver.
//
// The faster way depends on the machine (cost of a cache line's trip and of a remote read), on the message's
// size and on whether the sender is running. So both ways are timed for each class of size, and the faster
// one is kept. The other one is tried again now and then, as a peer may fall asleep or wake up.
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
    /// The way for a message of `bytes` bytes.
    Way choose(std::size_t bytes) noexcept
    {
        Class& group = class_of(bytes);
        const unsigned number = group.chosen++;
        if (number < 2 * kFirstTries)
            return number % 2 == 0 ? Way::pull : Way::stream;
        const Way better = group.pull_ns <= group.stream_ns ? Way::pull : Way::stream;
        const bool retry =
            number % kRetryEvery == 0 || (number >= kFirstRetry && std::has_single_bit(number));
        return !retry ? better : better == Way::pull ? Way::stream : Way::pull;
    }

    /// Records the time of one message, from the match to the last byte.
    void record(Way way, std::size_t bytes, std::int64_t took_ns) noexcept
    {
        Class& group = class_of(bytes);
        double& known = way == Way::pull ? group.pull_ns : group.stream_ns;
        const auto took = static_cast<double>(took_ns);
        // Disturbances only make a message slower, by any amount: a process that loses its core for
        // milliseconds says nothing about the way. So faster times count for half and slower ones for little;
        // a dozen slow ones in a row are believed. The first times, with cold memory, count only if no better
        // one comes.
        if (known == 0)
            known = took;
        else if (took < known)
            known = group.chosen <= 2 * kFirstTries ? took : (known + took) / 2;
        else if (group.chosen > 2 * kFirstTries)
            known += std::min(took - known, known) / kSlowness;
    }

private:
    static constexpr unsigned kFirstTries = 3;
    static constexpr unsigned kFirstRetry = 16;  // then after twice as many each time, up to kRetryEvery
    static constexpr unsigned kRetryEvery = 512;
    static constexpr double kSlowness = 16;
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
