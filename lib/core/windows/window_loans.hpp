// The program's buffers of operations on a window that are not complete, for checked jobs.
#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "lib/core/requests/lend.hpp"
#include "lib/core/windows/window_identity.hpp"

namespace tutti::detail {

class WindowLoans {
public:
    explicit WindowLoans(const WindowIdentity& window);

    bool are_watched() const noexcept { return !loans_.empty(); }
    /// Buffers of operations without a request are lent, too, until these are complete, as in MPI. In C++ the
    /// program may have them back earlier.
    void include_all() noexcept { includes_all_ = true; }

    /// An operation on memory of `rank` has begun, which reads `origins` and writes `result`. `begun` as in
    /// Window's: where the program wants a request, the operation gets one, even if it is complete.
    void note(std::string_view operation, int rank, std::span<const OriginBlock> origins,
              const OriginBlock& result, RequestState** begun);
    /// Operations on `rank` without a request are complete here. Under the engine's lock.
    void end(int rank);

    /// The window has got memory of the program's.
    void note_memory(const std::byte* base, std::size_t size_bytes);
    /// It has it no longer; nullptr: none at all. Under the engine's lock.
    void end_memory(const std::byte* base);

private:
    const WindowIdentity& window_;
    bool includes_all_ = false;
    std::vector<std::vector<Loan>> loans_;  // by rank; none: they are not watched
    std::multimap<const std::byte*, Loan> memory_;
};

}  // namespace tutti::detail
