// Describes a collective call in two words, and marks the call's messages with it.
//
// Instead of a tag, the messages of a call carry the call's number on its communicator and a digest of the
// call; above the sender's rank they carry the kind of collective. So calls that do not belong together
// exchange no messages, at no cost. A mistake leaves a receive and a message that do not match; a rank that
// has waited long finds them (call_diagnosis.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/framework/call.hpp"
#include "lib/foundation/observe/status_page.hpp"
#include "tutti/error.hpp"

namespace tutti::detail {

/// Equal at all ranks of a call, including the algorithm. It travels between processes, so any words have a
/// description.
class CallSignature {
public:
    using Words = std::array<std::uint64_t, 2>;

    /// Describes no call.
    CallSignature() noexcept = default;
    explicit CallSignature(const Words& words) noexcept : words_(words) {}
    /// `on_board`: a blocking call of a communicator whose ranks meet at a board.
    CallSignature(const collectives::Call& call, bool on_board) noexcept
        : words_{call.size_bytes & kSizeMask,
                 observe::CollectiveWord::of(static_cast<std::uint8_t>(call.kind), on_board,
                                             call.algorithm.number)
                         .word |
                     std::uint64_t{call.operation} << kOperationShift |
                     static_cast<std::uint64_t>(call.root + 1) << kRootShift}
    {
        // The parts of an algorithm: it has segments, or steps, or neither.
        if ((call.algorithm.segment_bytes | call.steps) != 0) [[unlikely]]
            words_ = with_parts(words_, call);
    }

    const Words& words() const noexcept { return words_; }
    collectives::CallKind kind() const noexcept
    {
        return static_cast<collectives::CallKind>(observe::CollectiveWord{words_[1]}.kind());
    }
    /// The number in the collective's list, from 1; 0: there is only one algorithm.
    std::uint8_t algorithm() const noexcept { return observe::CollectiveWord{words_[1]}.algorithm(); }
    /// This call, by any algorithm.
    CallSignature by_any() const noexcept
    {
        return CallSignature({words_[0] & kSizeMask, words_[1] & ~(kAlgorithmMask | kPartsMask)});
    }
    /// "reduce with root 1 of 20 bytes, sum of float32"
    std::string describe() const;
    /// describe() with ", by chain in segments of 64 KiB" behind it.
    std::string describe_with_algorithm() const;

    /// All but the name of the kind: "1 MiB, sum of float32, root 1, by ring".
    std::string describe_rest() const;

    friend bool operator==(const CallSignature&, const CallSignature&) = default;

private:
    friend struct CallMark;

    // First word: 48 bits of size, as many as addresses have, and 16 bits of the parts. Second word: a
    // CollectiveWord, operation, root (as wide as a rank), and the other 12 bits of the parts.
    static constexpr int kKindBits = observe::CollectiveWord::kKindBits;
    static constexpr int kOperationShift = observe::CollectiveWord::kBits;
    static constexpr int kRootShift = kOperationShift + 16;
    static constexpr int kRootBits = 24;
    static constexpr int kHighPartsShift = kRootShift + kRootBits;
    static constexpr int kSizeBits = 48;
    static constexpr int kLowPartsBits = 64 - kSizeBits;
    static constexpr int kHighPartsBits = 64 - kHighPartsShift;
    static constexpr std::uint64_t kMostParts = (std::uint64_t{1} << (kLowPartsBits + kHighPartsBits)) - 1;
    static constexpr std::uint64_t kSizeMask = (std::uint64_t{1} << kSizeBits) - 1;
    static constexpr std::uint64_t kPartsMask = ~std::uint64_t{0} << kHighPartsShift;
    static constexpr std::uint64_t kAlgorithmMask =
        ((std::uint64_t{1} << observe::CollectiveWord::kAlgorithmBits) - 1)
        << observe::CollectiveWord::kAlgorithmShift;
    static_assert(collectives::kCallKinds <= 1 << kKindBits);

    // Segments of a quarter of a GiB and more count as equal.
    static Words with_parts(Words words, const collectives::Call& call) noexcept;
    std::uint64_t parts() const noexcept
    {
        return words_[0] >> kSizeBits | words_[1] >> kHighPartsShift << kLowPartsBits;
    }
    std::uint64_t field(int shift, int bits) const noexcept
    {
        return words_[1] >> shift & ((std::uint64_t{1} << bits) - 1);
    }

    Words words_{};
};

/// The marks of a call's messages. kRankBits is the width of a rank in a context id. Calls that differ only
/// in the algorithm have different marks; other calls almost always have.
struct CallMark {
    static constexpr int kRankBits = 23;
    static constexpr int kNumberBits = 20;
    static constexpr std::uint32_t kNumberMask = (1u << kNumberBits) - 1;

    CallMark() noexcept = default;
    CallMark(std::uint32_t number, const CallSignature& signature) noexcept
    {
        const std::uint32_t mixed = digest(signature);
        above_rank = static_cast<int>(static_cast<std::uint32_t>(signature.kind()) |
                                      mixed >> kLowDigestBits << CallSignature::kKindBits)
                     << kRankBits;
        tag = static_cast<int>((number & kNumberMask) << kLowDigestBits | (mixed & kLowDigestMask));
    }
    /// The mark of a message that has arrived.
    static CallMark of(int source, int tag) noexcept { return {source & ~((1 << kRankBits) - 1), tag}; }
    static int rank_of(int source) noexcept { return source & ((1 << kRankBits) - 1); }

    /// The number's lowest bits.
    std::uint32_t number() const noexcept { return static_cast<std::uint32_t>(tag) >> kLowDigestBits; }
    collectives::CallKind kind() const noexcept
    {
        return static_cast<collectives::CallKind>(above_rank >> kRankBits &
                                                  ((1 << CallSignature::kKindBits) - 1));
    }
    /// The algorithm of the call with this mark if it is `mine` except for the algorithm (true as well for
    /// one in 128 other calls); 0: another call.
    std::uint8_t algorithm_beside(const CallSignature& mine) const noexcept;
    friend bool operator==(const CallMark&, const CallMark&) = default;

    int above_rank = 0;
    int tag = 0;

private:
    // 10 in the tag, 2 above the kind.
    static constexpr int kDigestBits = 12;
    static constexpr int kLowDigestBits = 10;
    static constexpr std::uint32_t kLowDigestMask = (1u << kLowDigestBits) - 1;
    static_assert(kRankBits + CallSignature::kKindBits + kDigestBits - kLowDigestBits < 32);

    CallMark(int above, int with_tag) noexcept : above_rank(above), tag(with_tag) {}
    std::uint32_t digest() const noexcept
    {
        return (static_cast<std::uint32_t>(tag) & kLowDigestMask) |
               static_cast<std::uint32_t>(above_rank) >> (kRankBits + CallSignature::kKindBits)
                                                             << kLowDigestBits;
    }
    // The algorithm is not mixed: it is xored with the digest of the rest.
    static std::uint32_t digest(const CallSignature& signature) noexcept
    {
        const std::uint64_t rest = signature.words()[1] & ~CallSignature::kAlgorithmMask;
        const std::uint64_t mixed = (signature.words()[0] ^ rest * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
        return static_cast<std::uint32_t>(mixed >> (64 - kDigestBits)) ^ signature.algorithm();
    }
};

/// create_cartesian with all arguments that must be equal at all ranks.
collectives::Call call_of_grid(const std::vector<int>& dims, const std::vector<bool>& periods, bool reorder);

/// The name of a kind; any value has one.
std::string_view name_of(collectives::CallKind kind) noexcept;

/// The error when two ranks make different calls instead of the same one, or use different algorithms for it.
/// `other` is a rank of the communicator.
Error mismatch(const CallSignature& mine, int other, const CallSignature& theirs);
/// Where the other rank's call is known only in words.
Error mismatch(const CallSignature& mine, int other, std::string_view theirs);
/// Where the other rank makes this call, by the algorithm with the number `theirs`.
Error algorithm_mismatch(const CallSignature& mine, int other, std::uint8_t theirs, std::string_view why);

}  // namespace tutti::detail
