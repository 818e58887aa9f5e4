#include "lib/core/windows/window_service.hpp"

#include <functional>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"
#include "lib/core/windows/window.hpp"

namespace tutti::detail {

WindowService::WindowService(Process& process)
{
    process.protocol().serve(protocol::FrameKind::window_call, protocol::FrameKind::window_answer,
                             std::bind_front(&WindowService::frame, this));
}

void WindowService::add(Window& window)
{
    windows_.emplace(window.communicator()->context(), &window);
}

void WindowService::remove(const Window& window) noexcept
{
    windows_.erase(window.communicator()->context());
}

void WindowService::frame(int peer, std::span<const std::byte> header, std::span<const std::byte> payload)
{
    const auto told = protocol::header_in<WindowHeader>(header, peer);
    const auto found = windows_.find(told.lead.context());
    if (found == windows_.end())
        return;  // it has been freed, and a wake of it came late
    Window& window = *found->second;
    const auto rank = static_cast<int>(told.rank);
    if (!window.is_rank(rank) || window.communicator()->world_rank(rank) != peer)
        protocol::corrupt(peer, "a window's frame in the name of another rank");
    window.heard(rank, told, payload);
}

void WindowService::for_each_awaited(const std::function<void(std::uint64_t context, int peer)>& visit) const
{
    for (const auto& [context, window] : windows_)
        for (const int peer : window->awaited())
            visit(context, peer);
}

void WindowService::fail_waits_for_lost()
{
    for (const auto& entry : windows_)
        entry.second->fail_waits_for_lost();
}

WindowWait WindowService::wait_of(std::uint64_t context, bool collective) const
{
    const auto found = windows_.find(context);
    return found == windows_.end() ? WindowWait() : found->second->wait_in_words(collective);
}

}  // namespace tutti::detail
