// What this rank has done to one target in the open epoch and is not complete: for checked jobs, which look
// for accesses that conflict.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace tutti::detail {

/// Updates (accumulate and its like) agree with each other, gets likewise. All else conflicts.
enum class WindowUse : std::uint8_t { get, put, update };

/// For errors: "an earlier put()".
std::string_view in_words(WindowUse access) noexcept;

/// One thread at a time. Ranges are bytes of the target's memory.
class WindowAccesses {
public:
    struct Conflict {
        WindowUse earlier;
        std::ptrdiff_t begin;  // what both access
        std::ptrdiff_t end;
    };

    /// The first bytes that an earlier access makes a conflict of.
    std::optional<Conflict> conflict(WindowUse access, std::ptrdiff_t begin, std::ptrdiff_t end) const;
    void note(WindowUse access, std::ptrdiff_t begin, std::ptrdiff_t end);
    /// They are complete.
    void forget_gets() noexcept { of(WindowUse::get).clear(); }
    void forget() noexcept;

private:
    using Ranges = std::map<std::ptrdiff_t, std::ptrdiff_t>;  // ends by begins; disjoint

    Ranges& of(WindowUse access) noexcept { return ranges_[static_cast<std::size_t>(access)]; }
    const Ranges& of(WindowUse access) const noexcept { return ranges_[static_cast<std::size_t>(access)]; }

    std::array<Ranges, 3> ranges_;
};

}  // namespace tutti::detail
