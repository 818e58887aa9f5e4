// Pushes to rows, and pulls of them, where the window's memory is mapped: by origins that map it, and by the
// target for all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "lib/core/windows/element_update.hpp"
#include "lib/core/windows/window_targets.hpp"

namespace tutti::detail {

/// A WindowRow, and where this process maps it; nullptr: it does not.
struct MappedRow {
    std::byte* here;
    std::uint64_t there;
    std::uint64_t bytes;
    std::byte* memory;
};

/// A piece of a row that no frame takes as a whole.
struct RowPiece {
    MappedRow row;      // all of it; `here` is not used
    std::size_t begin;  // of the piece
    std::size_t bytes;
    std::byte* here;  // the piece's
};

/// What a rule has thrown.
class RuleFailure : public Error {
public:
    RuleFailure(int rank, std::string words)
        : Error(ErrorCode::invalid_argument, "push", "the rule has failed: " + words, rank),
          words_(std::move(words))
    {
    }
    const std::string& words() const noexcept { return words_; }

private:
    std::string words_;
};

/// Under the engine's lock. Errors are thrown; of a rule, RuleFailure.
class RowUpdates {
public:
    RowUpdates(const WindowIdentity& window, WindowTargets& targets) noexcept
        : window_(window), targets_(targets)
    {
    }

    void set_rule(RowRule rule) { rule_ = std::move(rule); }
    bool has_rule() const noexcept { return rule_ != nullptr; }

    /// Rows of `rank`, all of them mapped.
    void apply(int rank, std::span<const MappedRow> rows, const Update& update);
    /// The next piece of a row of this rank's, for `origin`: a rule sees the row with the last one, and the
    /// first one reads it.
    void apply_piece(int origin, const RowPiece& piece, const Update& update);

private:
    struct WholeRow {
        std::unique_ptr<std::byte[]> bytes;
        std::uint64_t there = 0;
        std::size_t done = 0;
    };

    void apply_rule(int rank, const MappedRow& row) const;

    const WindowIdentity& window_;
    WindowTargets& targets_;
    RowRule rule_;
    std::map<int, WholeRow> whole_;  // by origin
};

}  // namespace tutti::detail
