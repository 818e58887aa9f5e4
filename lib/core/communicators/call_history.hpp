// The last calls of a rank on one communicator, to answer other ranks.
#pragma once

#include <array>
#include <cstdint>

#include "lib/core/communicators/call_signature.hpp"

namespace tutti::detail {

class CallHistory {
public:
    static constexpr std::uint32_t kKept = 128;

    void note(std::uint32_t number, const CallSignature& signature) noexcept
    {
        Entry& entry = entries_[number % kKept];
        entry.signature = signature;
        entry.number = number;
        entry.made = true;
    }
    /// nullptr: not made yet, made too long ago, or a call without description.
    const CallSignature* find(std::uint32_t number) const noexcept
    {
        const Entry& entry = entries_[number % kKept];
        return entry.made && entry.number == number ? &entry.signature : nullptr;
    }

private:
    struct Entry {
        CallSignature signature;
        std::uint32_t number = 0;
        bool made = false;
    };
    std::array<Entry, kKept> entries_;
};

}  // namespace tutti::detail
