// The program's buffers that a call uses after it has returned: tuttirun --check finds those that are freed too
// early.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "lib/core/process/process.hpp"
#include "tutti/buffer.hpp"
#include "tutti/call_handle.hpp"

namespace tutti::detail {

/// Whether the job is checked, and for frees.
bool watches_frees(const Process& process) noexcept;

/// lend() of a checked job. `access`: of a file, all of it in words; empty: a collective or a message.
CallHandle lend_checked(Process& process, CallHandle handle, std::span<const ConstView> buffers,
                        std::string access);

/// What the call has begun, or starts, uses these buffers. Not under the lock.
inline CallHandle lend(Process& process, CallHandle handle, std::span<const ConstView> buffers)
{
    return process.checker() == nullptr ? handle : lend_checked(process, handle, buffers, {});
}

/// An access of a window has begun, in a checked job: all of it in words. Under the lock.
void lend(Process& process, RequestState& begun, std::span<const ConstView> buffers, std::string access);

/// Buffers that something else than a request uses, as long as this lives: in a checked job. Noted where the
/// program makes the call under way.
class Loan {
public:
    Loan(Process& process, std::span<const ConstView> buffers, std::string what);
    Loan(Loan&&) noexcept;
    ~Loan();

    /// Reports a buffer that was freed: "`what`: its buffer was freed before `until`, by ...; `remedy`". Under
    /// the engine's lock.
    void look(std::string_view until, std::string_view remedy) const;

private:
    struct Lent;
    std::unique_ptr<const Lent> lent_;
};

}  // namespace tutti::detail
