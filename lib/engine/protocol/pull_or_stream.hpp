// Learns which of two protocols is the faster for messages that can take either: pull or stream.
//
// That depends on the machine (cost of a cache line's trip and of a remote read), on the message's size and
// on whether the sender is running. The sender chooses, and tries both for each class of size. The receiver
// times them, and advises the faster one in its answers. The other one is tried again now and then, as a peer
// may fall asleep or wake up.
//
// Messages that a sender has in flight together are chosen for apart. There a protocol costs what it takes
// from both ranks while both are busy, which the time of one message does not show: what the sender has
// streamed while the receiver pulled earlier messages seems to come quickly. So a protocol is tried for a run
// of messages, which is longer than what can be in flight, and counts by the time that messages of the run's
// second half take on average. A lone message is a run of one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "lib/foundation/observe/message_protocol.hpp"

namespace tutti::protocol {

using observe::MessageProtocol;

/// Messages in flight together that follow each other from one peer, by one protocol and of one class of
/// size.
struct WindowRun {
    MessageProtocol protocol = MessageProtocol::stream;
    unsigned size_class = 0;
    unsigned count = 0;
    std::int64_t since_ns = 0;  // when the last quarter began
};

class PullOrStream {
public:
    /// For the sender. `in_window`: another message that it has offered is not answered yet.
    MessageProtocol choose(std::size_t bytes, bool in_window) noexcept
    {
        std::optional<MessageProtocol> chosen;
        if (in_window)
            chosen = class_of(bytes, true).choose(window_length(bytes));
        if (!chosen)
            chosen = class_of(bytes, false).choose(1);
        return chosen.value_or(MessageProtocol::stream);
    }
    /// For the sender: takes the receiver's advice() for such messages. Ignores what is no advice.
    void follow(std::size_t bytes, std::uint64_t advice) noexcept
    {
        class_of(bytes, false).follow(advice & 3);
        class_of(bytes, true).follow(advice >> 2 & 3);
    }

    /// For the receiver: for lone messages in the lowest two bits, for those in flight together in the next
    /// two: 1 to stream, 2 to pull, 0 while nothing is timed. A protocol that is not timed counts as fast.
    /// `exchange` as for record().
    std::uint64_t advice(std::size_t bytes, bool exchange) const noexcept
    {
        return class_of(bytes, false).advice(exchange) | class_of(bytes, true).advice(exchange) << 2;
    }
    /// The advice to choose this protocol for any message.
    static std::uint64_t advise(MessageProtocol protocol) noexcept { return 5 * code(protocol); }

    /// For the receiver: records the time of a lone message, to the last byte. `exchange`: this rank
    /// sends to the sender at the same time. Then a stream costs nearly twice as much as it takes, as no rank
    /// receives while it writes.
    void record(MessageProtocol protocol, std::size_t bytes, std::int64_t took_ns, bool exchange) noexcept
    {
        class_of(bytes, false).record(protocol, static_cast<double>(took_ns), exchange);
    }
    /// For the receiver: another message of `run` is complete.
    void record_in_window(WindowRun& run, MessageProtocol protocol, std::size_t bytes, std::int64_t now_ns,
                          bool exchange) noexcept
    {
        if (run.count == 0 || run.protocol != protocol || run.size_class != size_class(bytes))
            run = {protocol, size_class(bytes), 0, 0};
        const unsigned quarter = window_length(bytes) / 4;
        if (++run.count % quarter != 0)
            return;
        const std::int64_t took_ns = now_ns - std::exchange(run.since_ns, now_ns);
        if (run.count > 2 * quarter)
            class_of(bytes, true).record(protocol, static_cast<double>(took_ns) / quarter, exchange);
    }

private:
    static constexpr std::size_t kClasses = 40;
    static constexpr unsigned kFirstRuns = 6;
    static constexpr unsigned kFirstRetry = 16;  // then after twice as many runs each time, up to kRetryEvery
    static constexpr unsigned kRetryEvery = 512;

    static std::uint64_t code(MessageProtocol protocol) noexcept
    {
        return protocol == MessageProtocol::pull ? 2 : 1;
    }
    static MessageProtocol other(MessageProtocol protocol) noexcept
    {
        return protocol == MessageProtocol::pull ? MessageProtocol::stream : MessageProtocol::pull;
    }

    // Disturbances only make a message slower, by any amount: a process that loses its core for milliseconds
    // says nothing about the protocol. So faster times count for half and slower ones for little; a dozen
    // slow ones in a row are believed. The first times, with cold memory, count only if no better one comes.
    struct Time {
        static constexpr unsigned kFirstTimes = 3;
        static constexpr double kSlowness = 16;

        double ns = 0;  // 0: not timed
        unsigned taken = 0;

        void take(double took) noexcept
        {
            const bool first = taken < kFirstTimes;
            taken += first;
            if (ns == 0 || (first && took < ns))
                ns = took;
            else if (!first)
                ns += took < ns ? (took - ns) / 2 : std::min(took - ns, ns) / kSlowness;
        }
    };

    // What is known of messages whose sizes lie between two powers of two.
    struct Class {
        // The sender's.
        unsigned chosen = 0;
        std::optional<MessageProtocol> advised;
        // The receiver's, by `exchange` and by code() - 1.
        std::array<std::array<Time, 2>, 2> times{};

        // Empty: no advice has come yet.
        std::optional<MessageProtocol> choose(unsigned run_length) noexcept
        {
            const unsigned run = chosen++ / run_length;
            if (run < kFirstRuns)
                return run % 2 == 0 ? MessageProtocol::pull : MessageProtocol::stream;
            if (!advised)
                return std::nullopt;
            const bool retry = run % kRetryEvery == 0 || (run >= kFirstRetry && std::has_single_bit(run));
            return retry ? other(*advised) : *advised;
        }
        void follow(std::uint64_t advice) noexcept
        {
            if (advice == 1 || advice == 2)
                advised = advice == 1 ? MessageProtocol::stream : MessageProtocol::pull;
        }
        void record(MessageProtocol protocol, double took_ns, bool exchange) noexcept
        {
            const bool doubled = exchange && protocol == MessageProtocol::stream;
            times[exchange][code(protocol) - 1].take(doubled ? 1.75 * took_ns : took_ns);
        }
        std::uint64_t advice(bool exchange) const noexcept
        {
            const auto& [stream, pull] = times[exchange];
            if (stream.ns == 0 && pull.ns == 0)
                return 0;
            return code(pull.ns <= stream.ns ? MessageProtocol::pull : MessageProtocol::stream);
        }
    };

    static unsigned size_class(std::size_t bytes) noexcept
    {
        return static_cast<unsigned>(std::min<std::size_t>(std::bit_width(bytes), kClasses - 1));
    }
    // A run's messages, one number for all sizes of a class: more bytes than can be in flight between two
    // ranks, as rings have up to 1 MiB, and early bytes are 64 KiB a message.
    static unsigned window_length(std::size_t bytes) noexcept
    {
        constexpr std::size_t kRunBytes = 2u << 20;
        constexpr std::size_t kShortest = 4;
        constexpr std::size_t kLongest = 32;
        return static_cast<unsigned>(
            std::clamp(kRunBytes >> (std::max(size_class(bytes), 1u) - 1), kShortest, kLongest));
    }
    const Class& class_of(std::size_t bytes, bool in_window) const noexcept
    {
        return classes_[in_window][size_class(bytes)];
    }
    Class& class_of(std::size_t bytes, bool in_window) noexcept
    {
        return classes_[in_window][size_class(bytes)];
    }

    std::array<std::array<Class, kClasses>, 2> classes_{};  // by whether messages are in flight together
};

}  // namespace tutti::protocol
