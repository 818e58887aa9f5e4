// Which window it is, and the epoch that this rank is in: what its frames, errors and reports say of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "lib/core/windows/window_error.hpp"
#include "lib/core/windows/window_frames.hpp"
#include "tutti/calls.hpp"
#include "tutti/window_calls.hpp"

namespace tutti::detail {

class Process;

/// Calls act(), for callers that have more to do before they throw its error on. nullptr: there was none.
template <class Act>
std::exception_ptr caught(Act&& act)
{
    try {
        act();
    } catch (const Error&) {
        return std::current_exception();
    }
    return nullptr;
}

/// The epoch in which this rank accesses the memory of others.
enum class WindowEpoch : std::uint8_t { none, fence, started, locks, all_locked };

class WindowIdentity {
public:
    /// Where a rank is wanted: all of them, or any.
    static constexpr int kAnyRank = -1;

    /// The communicator is the window's own.
    WindowIdentity(StatePointer communicator, WindowFlavor flavor);

    const StatePointer& communicator() const noexcept { return communicator_; }
    Process& process() const noexcept { return process_; }
    WindowFlavor flavor() const noexcept { return flavor_; }
    std::string_view name() const noexcept { return name_; }
    /// "window 3", numbered as this rank has made them, until the program names it.
    void set_name(std::string_view name);

    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }
    bool is_rank(int rank) const noexcept
    {
        return static_cast<unsigned>(rank) < static_cast<unsigned>(size_);
    }
    /// The rank of the job.
    int world_rank(int rank) const noexcept;
    /// Adds it to ranks of the job, unless it is this rank.
    void add_to(std::set<int>& ranks, int rank) const;

    WindowEpoch epoch() const noexcept { return epoch_; }
    void enter(WindowEpoch epoch) noexcept { epoch_ = epoch; }

    /// Sends a frame to a rank of the window, another one. Under the engine's lock; throws if the rank is not
    /// reached. A frame releases: the receiver sees what this rank has written before.
    void send(int rank, WindowHeader::What what, std::uint64_t id = 0, std::uint64_t detail = 0,
              std::span<const std::byte> payload = {}) const;
    /// send() for one of several frames that leave together, if they are short, with flush().
    void send_soon(int rank, WindowHeader::What what, std::uint64_t id, std::uint64_t detail,
                   std::span<const std::byte> payload) const;
    void flush(int rank) const;

    // Throw errors that name the window, and the rank unless it is Error::kNoPeer.

    [[noreturn]] void refuse(WindowFault fault, std::string_view operation, int rank,
                             std::string_view detail) const;
    void check_rank(std::string_view operation, int rank) const
    {
        if (!is_rank(rank)) [[unlikely]]
            refuse_rank(operation, rank);
    }
    /// Of a call that needs the open epoch's end.
    [[noreturn]] void refuse_epoch(std::string_view operation, int rank = Error::kNoPeer) const;

    /// "of lock()", for example.
    std::string_view epoch_in_words() const noexcept;
    /// For the end of a sentence.
    std::string in_epoch() const;
    /// Bytes of a target's memory; of a dynamic window, addresses.
    std::string range_in_words(std::ptrdiff_t begin, std::ptrdiff_t end) const;

private:
    WindowHeader header_of(WindowHeader::What what, std::uint64_t id, std::uint64_t detail) const noexcept;

    [[noreturn]] void refuse_rank(std::string_view operation, int rank) const;

    const StatePointer communicator_;
    Process& process_;
    const WindowFlavor flavor_;
    const int rank_;
    const int size_;
    std::string name_;
    WindowEpoch epoch_ = WindowEpoch::none;
};

}  // namespace tutti::detail
