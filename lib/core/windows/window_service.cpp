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
    const auto place_of = [this](int peer, std::span<const std::byte> header, std::size_t bytes) {
        const auto read = protocol::header_in<WindowHeader>(header, peer);
        Window* const window = window_of(peer, read);
        return window == nullptr ? std::span<std::byte>()
                                 : window->place_of(static_cast<int>(read.rank), read, bytes);
    };
    process.protocol().place(
        protocol::FrameKind::window_call,
        {place_of, [this, place_of](int peer, std::span<const std::byte> header, std::size_t bytes) {
             frame(peer, header, place_of(peer, header, bytes));
         }});
}

void WindowService::add(Window& window)
{
    windows_.emplace(window.communicator()->context(), &window);
}

void WindowService::remove(const Window& window) noexcept
{
    windows_.erase(window.communicator()->context());
}

Window* WindowService::window_of(int peer, const WindowHeader& header) const
{
    const auto found = windows_.find(header.lead.context());
    if (found == windows_.end())
        return nullptr;
    const CommunicatorState& ranks = *found->second->communicator();
    const auto rank = static_cast<int>(header.rank);
    if (rank < 0 || rank >= ranks.size() || ranks.world_rank(rank) != peer)
        protocol::corrupt(peer, "a window's frame in the name of another rank");
    return found->second;
}

void WindowService::frame(int peer, std::span<const std::byte> header, std::span<const std::byte> payload)
{
    const auto read = protocol::header_in<WindowHeader>(header, peer);
    if (Window* const window = window_of(peer, read))  // else a late wake
        window->take(static_cast<int>(read.rank), read, payload);
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
