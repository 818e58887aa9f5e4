#include "lib/core/windows/window_service.hpp"

#include <functional>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/windows/rank_window.hpp"

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
    const auto read = protocol::header_in<WindowHeader>(header, peer);
    const auto found = windows_.find(read.lead.context());
    if (found == windows_.end())
        return;  // a late wake of a window that has been freed
    Window& window = *found->second;
    const auto rank = static_cast<int>(read.rank);
    if (rank < 0 || rank >= window.communicator()->size() || window.communicator()->world_rank(rank) != peer)
        protocol::corrupt(peer, "a window's frame in the name of another rank");
    window.take(rank, read, payload);
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
