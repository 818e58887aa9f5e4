// The communicators of a rank.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace tutti::detail {

class CommunicatorState;

/// Communicators by the context of their collectives. They add and remove themselves, perhaps after the rank
/// has ended, and without the engine's lock.
class CommunicatorTable {
public:
    void add(std::uint64_t collective_context, CommunicatorState& state)
    {
        const std::lock_guard lock(mutex_);
        states_[collective_context] = &state;
    }
    void remove(std::uint64_t collective_context) noexcept
    {
        const std::lock_guard lock(mutex_);
        states_.erase(collective_context);
    }
    /// Calls use(CommunicatorState&) if there is one; it stays alive meanwhile.
    template <class Use>
    void with(std::uint64_t collective_context, Use&& use)
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = states_.find(collective_context); found != states_.end())
            use(*found->second);
    }
    /// Calls use(const CommunicatorState&) for each.
    template <class Use>
    void for_each(Use&& use)
    {
        const std::lock_guard lock(mutex_);
        for (const auto& entry : states_)
            use(*entry.second);
    }

private:
    std::mutex mutex_;
    std::unordered_map<std::uint64_t, CommunicatorState*> states_;
};

}  // namespace tutti::detail
