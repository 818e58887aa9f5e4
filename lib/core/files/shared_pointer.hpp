// The pointer that all ranks of a file share: words in memory of rank 0, which the others change through a window. There
// is no file beside the user's.
#pragma once

#include <cstdint>
#include <memory>

#include "lib/core/windows/rank_window.hpp"

namespace tutti::detail {

/// A word has the number of a view above an offset in etypes. Views take turns at two words, so a rank that sets a new
/// view waits for nobody: those that use the old one have its word. A word of an earlier view counts as 0.
class SharedPointer {
public:
    /// Collective.
    SharedPointer(const StatePointer& communicator, std::int64_t offset);
    SharedPointer(SharedPointer&&) noexcept = default;
    /// Without free(), others may still change the memory: it stays.
    ~SharedPointer();
    /// Collective.
    void free();

    /// The file's own communicator.
    const StatePointer& communicator() const noexcept { return window_->communicator(); }
    /// Whether this rank maps the memory of all ranks of its node.
    bool maps_peers() const;

    /// Moves it; returns where it was.
    std::int64_t add(std::uint16_t view, std::int64_t etypes);
    std::int64_t value(std::uint16_t view);
    void set(std::uint16_t view, std::int64_t offset);

private:
    struct Release {
        void operator()(std::uint64_t* memory) const noexcept;
    };

    std::uint64_t fetch(std::uint16_t view, std::uint64_t operand, Update::Kind kind);
    std::uint64_t replace(std::uint16_t view, std::uint64_t expected, std::uint64_t desired);

    std::unique_ptr<std::uint64_t[], Release> memory_;  // that of rank 0 counts
    std::shared_ptr<Window> window_;
};

}  // namespace tutti::detail
