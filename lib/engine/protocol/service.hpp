// Services: what ranks tell each other besides messages, in frames of kinds of their own.
//
// A service numbers its kinds in FrameKind (frames.hpp), describes their headers itself, is registered by
// Protocol::serve, and sends by Protocol::tell. lib/core/calls/call_diagnosis.hpp is one.
#pragma once

#include <algorithm>
#include <array>
#include <functional>

#include "lib/engine/protocol/frames.hpp"

namespace tutti::protocol {

/// Who serves which kinds.
class Services {
public:
    /// Takes a frame, within progress(). It may send. Header and payload are valid until it returns. What it
    /// throws ends all progress.
    using Handler =
        std::function<void(int peer, std::span<const std::byte> header, std::span<const std::byte> payload)>;

    /// Gives frames of these kinds to `handler` from now on; nullptr: they are ignored, as at first.
    void serve(FrameKind first, FrameKind last, const Handler& handler)
    {
        std::fill(&handlers_[index(first)], &handlers_[index(last)] + 1, handler);
    }

    /// A frame that is none of a message's.
    void on_frame(int from, std::span<const std::byte> header, std::span<const std::byte> payload) const
    {
        const std::size_t kind = index(kind_of(header));
        if (kind == 0 || kind >= handlers_.size())
            corrupt(from, "a frame of unknown kind");
        if (header.size() != transport::kMaxHeaderBytes)
            corrupt(from, "a header of the wrong length");
        if (handlers_[kind])
            handlers_[kind](from, header, payload);
    }

private:
    static constexpr std::size_t index(FrameKind kind) noexcept { return static_cast<std::size_t>(kind); }

    std::array<Handler, static_cast<std::size_t>(FrameKind::last) + 1> handlers_;
};

}  // namespace tutti::protocol
