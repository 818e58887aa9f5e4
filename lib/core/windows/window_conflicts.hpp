// Accesses of this rank that conflict with earlier ones in the open epoch, for checked jobs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/core/windows/window_identity.hpp"

namespace tutti::detail {

/// Updates (accumulate and its like) agree with each other, gets likewise. All else conflicts.
enum class WindowUse : std::uint8_t { get, put, update };

/// For errors: "an earlier put()".
std::string_view in_words(WindowUse access) noexcept;

/// The accesses of this rank to one target. One thread at a time. Ranges are bytes of the target's memory.
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

class WindowConflicts {
public:
    explicit WindowConflicts(const WindowIdentity& window);

    bool are_checked() const noexcept { return !accesses_.empty(); }
    /// Throws if an access conflicts with an earlier one. The block's displacement leads to `offset`.
    void look_for(std::string_view operation, WindowUse use, const TargetBlock& block,
                  std::ptrdiff_t offset) const;
    /// Not for operations with a request that says that they are complete at the target: nothing here knows
    /// whether the program has waited for it.
    void note(WindowUse use, const TargetBlock& block, std::ptrdiff_t offset);
    /// Accesses to `rank` are complete: gets, or `all`. Under the engine's lock.
    void forget(int rank, bool all);

private:
    const WindowIdentity& window_;
    std::vector<WindowAccesses> accesses_;  // by rank; none: they are not checked
};

}  // namespace tutti::detail
