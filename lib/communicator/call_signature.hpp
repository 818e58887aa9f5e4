// A collective call in two words, and how its messages are marked with it.
//
// All messages of a call carry, where others have their tag, the call's number on its communicator and a
// digest of what is called; the kind of collective lies above the sender's rank. So calls that do not belong
// together do not exchange messages, at no cost: a mistake leaves a receive and a message that never meet,
// which a rank finds when it has waited long (call_diagnosis.hpp).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "collectives/call.hpp"
#include "tutti/error.hpp"

namespace tutti::detail {

/// Equal at all ranks of a call. Travels between processes: any words have a description.
class CallSignature {
public:
    using Words = std::array<std::uint64_t, 2>;

    /// Says nothing.
    CallSignature() noexcept = default;
    explicit CallSignature(const Words& words) noexcept : words_(words) {}
    /// `on_board`: a blocking call of a communicator that has a board, whose ranks meet there.
    CallSignature(const collectives::Call& call, bool on_board) noexcept
        : words_{call.size_bytes, static_cast<std::uint64_t>(call.kind) | std::uint64_t{on_board} << 8 |
                                      std::uint64_t{call.asked.number} << kAskedShift |
                                      std::uint64_t{call.operation} << 16 |
                                      static_cast<std::uint64_t>(call.root + 1) << kRootShift}
    {
        // To a power of two: where others differ less, their messages' sizes do.
        if (call.asked.segment_bytes != 0) [[unlikely]]
            words_[1] |= static_cast<std::uint64_t>(std::bit_width(call.asked.segment_bytes))
                         << kSegmentShift;
    }

    const Words& words() const noexcept { return words_; }
    collectives::CallKind kind() const noexcept
    {
        return static_cast<collectives::CallKind>(words_[1] & 0xff);
    }
    /// "reduce with root 1 of 20 bytes, sum of float32"
    std::string describe() const;

    friend bool operator==(const CallSignature&, const CallSignature&) = default;

private:
    // Kind 8 bits, on_board 1, asked 5, then from 16 on operation 16, root 24 (as ranks have), segments 7.
    static constexpr int kAskedShift = 9;
    static constexpr int kRootShift = 32;
    static constexpr int kSegmentShift = 56;

    std::uint64_t field(int shift, int bits) const noexcept
    {
        return words_[1] >> shift & ((std::uint64_t{1} << bits) - 1);
    }

    Words words_{};
};

/// The marks of a call's messages. kRankBits are as many as context ids have for a rank.
struct CallMark {
    static constexpr int kRankBits = 23;
    static constexpr int kNumberBits = 20;
    static constexpr int kDigestBits = 10;
    static constexpr std::uint32_t kNumberMask = (1u << kNumberBits) - 1;

    CallMark() noexcept = default;
    CallMark(std::uint32_t number, const CallSignature& signature) noexcept
        : above_rank(static_cast<int>(signature.kind()) << kRankBits),
          tag(static_cast<int>((number & kNumberMask) << kDigestBits | digest(signature)))
    {
    }
    /// Of a message that has arrived.
    static CallMark of(int source, int tag) noexcept { return {source & ~((1 << kRankBits) - 1), tag}; }
    static int rank_of(int source) noexcept { return source & ((1 << kRankBits) - 1); }

    /// The number's lowest bits.
    std::uint32_t number() const noexcept { return static_cast<std::uint32_t>(tag) >> kDigestBits; }
    collectives::CallKind kind() const noexcept
    {
        return static_cast<collectives::CallKind>(above_rank >> kRankBits);
    }
    friend bool operator==(const CallMark&, const CallMark&) = default;

    int above_rank = 0;
    int tag = 0;

private:
    CallMark(int above, int with_tag) noexcept : above_rank(above), tag(with_tag) {}
    static std::uint32_t digest(const CallSignature& signature) noexcept
    {
        const std::uint64_t mixed =
            (signature.words()[0] ^ signature.words()[1] * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
        return static_cast<std::uint32_t>(mixed >> (64 - kDigestBits));
    }
};

/// The name of a kind; any value has one.
std::string_view name_of(collectives::CallKind kind) noexcept;

/// What is thrown when two ranks make different calls where they must make the same. `other` is a rank of the
/// communicator, `theirs` its call in words.
Error mismatch(const CallSignature& mine, int other, std::string_view theirs);

}  // namespace tutti::detail
