// The three forms of a collective, and the result of a call in each of them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "tutti/request.hpp"

namespace tutti::detail {

enum class Form : unsigned char { blocking, nonblocking, persistent };

/// Empty for a blocking call, the operation of a non-blocking one, or the starter of a persistent one. The
/// caller takes it once, by request(), persistent() or starter(). It is trivial to copy and destroy, so that
/// blocking calls pay nothing for it, and one word. Two would be stored one by one and loaded as one: such a
/// load waits until all stores before it have left the core, those of a rank's last chunk too.
class CallHandle {
public:
    CallHandle() noexcept = default;
    explicit CallHandle(Request request) noexcept : word_(word_of(std::exchange(request.state_, nullptr))) {}
    explicit CallHandle(std::unique_ptr<Starter> starter) noexcept
        : word_(word_of(starter.release()) | kStarter)
    {
    }

    Request request() const noexcept { return Request(state()); }
    PersistentRequest persistent() const noexcept { return PersistentRequest(starter()); }

    std::unique_ptr<Starter> starter() const noexcept { return std::unique_ptr<Starter>(started_by()); }

    /// Keeps `what` alive until all operations of the call have ended.
    void keep(std::shared_ptr<void> what) const;

private:
    static constexpr std::uintptr_t kStarter = 1;  // a bit that is 0 in addresses

    static std::uintptr_t word_of(const void* address) noexcept
    {
        return reinterpret_cast<std::uintptr_t>(address);
    }
    RequestState* state() const noexcept
    {
        return (word_ & kStarter) != 0 ? nullptr : reinterpret_cast<RequestState*>(word_);
    }
    Starter* started_by() const noexcept
    {
        return (word_ & kStarter) != 0 ? reinterpret_cast<Starter*>(word_ & ~kStarter) : nullptr;
    }

    std::uintptr_t word_ = 0;
};

}  // namespace tutti::detail
