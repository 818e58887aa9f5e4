// How the data of a rendezvous travels: streamed by the sender, or pulled by the receiver. This is the choice
// for a message by itself; window_choice.hpp has that for several at once.
//
// The faster way depends on the machine (cost of a cache line's trip and of a remote read), on the message's
// size and on whether the sender is running. The sender chooses, and tries both ways for each class of size.
// The receiver times them, and advises the faster one in its answers. The other one is tried again now and
// then, as a peer may fall asleep or wake up.
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
    static constexpr std::size_t kClasses = 40;

    /// Sizes of one power of two are chosen for together.
    static unsigned size_class(std::size_t bytes) noexcept
    {
        return static_cast<unsigned>(std::min<std::size_t>(std::bit_width(bytes), kClasses - 1));
    }

    /// For the sender: the way for a message of `bytes` bytes.
    Way choose(std::size_t bytes) noexcept
    {
        Class& group = class_of(bytes);
        const unsigned number = group.chosen++;
        if (number < 2 * kFirstTries)
            return number % 2 == 0 ? Way::pull : Way::stream;
        const bool retry =
            number % kRetryEvery == 0 || (number >= kFirstRetry && std::has_single_bit(number));
        return !retry ? group.advised : group.advised == Way::pull ? Way::stream : Way::pull;
    }
    /// For the sender: takes the receiver's advice() for such messages. Ignores 0, and what is no advice.
    void follow(std::size_t bytes, std::uint64_t advice) noexcept
    {
        if (advice == 1 || advice == 2)
            class_of(bytes).advised = static_cast<Way>(advice - 1);
    }
    /// For the receiver: a Way + 1, or 0 while nothing is timed. A way that is not timed counts as fast.
    std::uint64_t advice(std::size_t bytes, bool exchange = false) noexcept
    {
        const Class& group = class_of(bytes, exchange);
        if (group.pull_ns == 0 && group.stream_ns == 0)
            return 0;
        return advise(group.pull_ns <= group.stream_ns ? Way::pull : Way::stream);
    }
    static std::uint64_t advise(Way way) noexcept { return 1 + static_cast<std::uint64_t>(way); }

    /// For the receiver: records the time of one message, from the match to the last byte.
    /// `exchange`: this rank sends to the sender at the same time. Then a stream costs nearly twice as much
    /// as it takes, as no rank receives while it writes.
    void record(Way way, std::size_t bytes, std::int64_t took_ns, bool exchange = false) noexcept
    {
        Class& group = class_of(bytes, exchange);
        double& known = way == Way::pull ? group.pull_ns : group.stream_ns;
        const auto took = static_cast<double>(exchange && way == Way::stream ? 7 * took_ns / 4 : took_ns);
        const bool first = group.timed++ < 2 * kFirstTries;
        // Disturbances only make a message slower, by any amount: a process that loses its core for
        // milliseconds says nothing about the way. So faster times count for half and slower ones for little;
        // a dozen slow ones in a row are believed. The first times, with cold memory, count only if no better
        // one comes.
        if (known == 0)
            known = took;
        else if (took < known)
            known = first ? took : (known + took) / 2;
        else if (!first)
            known += std::min(took - known, known) / kSlowness;
    }

private:
    static constexpr unsigned kFirstTries = 3;
    static constexpr unsigned kFirstRetry = 16;  // then after twice as many each time, up to kRetryEvery
    static constexpr unsigned kRetryEvery = 512;
    static constexpr double kSlowness = 16;

    struct Class {
        unsigned chosen = 0;
        Way advised = Way::stream;
        unsigned timed = 0;
        double pull_ns = 0;
        double stream_ns = 0;
    };

    Class& class_of(std::size_t bytes, bool exchange = false) noexcept
    {
        auto& classes = exchange ? exchanged_ : classes_;
        return classes[size_class(bytes)];
    }

    std::array<Class, kClasses> classes_{};
    std::array<Class, kClasses> exchanged_{};  // receivers' times
};

}  // namespace tutti::protocol
