// Services: ranks exchange information besides messages, in frames of their own kinds.
//
// A service has its kinds in FrameKind (frames.hpp), defines their headers, is registered by Protocol::serve,
// and sends by Protocol::send_frame. Example: lib/core/diagnosis/call_diagnosis.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "lib/engine/protocol/frames.hpp"

namespace tutti::protocol {

/// Maps kinds of frames to their handlers.
class Services {
public:
    /// Takes a frame within progress(). It may send. Header and payload are valid until it returns. Its
    /// exceptions end all progress.
    using Handler =
        std::function<void(int peer, std::span<const std::byte> header, std::span<const std::byte> payload)>;

    /// Where payloads of a kind may go at once, which saves a copy: transport::Sink has the contract.
    struct Places {
        std::function<std::span<std::byte>(int peer, std::span<const std::byte> header,
                                           std::size_t payload_bytes)>
            destination;
        std::function<void(int peer, std::span<const std::byte> header, std::size_t payload_bytes)> placed;
    };

    /// Later frames of these kinds go to `handler`; nullptr: they are ignored, as before the first call.
    void serve(FrameKind first, FrameKind last, const Handler& handler)
    {
        std::fill(&handlers_[index(first)], &handlers_[index(last)] + 1, handler);
    }

    /// Likewise of payloads of this kind; those without a place go to its handler.
    void place(FrameKind kind, Places places) { places_[index(kind)] = std::move(places); }

    std::span<std::byte> destination(int from, std::span<const std::byte> header,
                                     std::size_t payload_bytes) const
    {
        const std::size_t kind = index(kind_of(header));
        const bool asks =
            kind < places_.size() && header.size() == transport::kMaxHeaderBytes && places_[kind].destination;
        return asks ? places_[kind].destination(from, header, payload_bytes) : std::span<std::byte>();
    }
    /// False: no such payload has a place.
    bool placed(int from, std::span<const std::byte> header, std::size_t payload_bytes) const
    {
        const std::size_t kind = index(kind_of(header));
        if (kind >= places_.size() || !places_[kind].placed)
            return false;
        places_[kind].placed(from, header, payload_bytes);
        return true;
    }

    /// Takes a frame that does not belong to a message.
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
    std::array<Places, static_cast<std::size_t>(FrameKind::last) + 1> places_;
};

}  // namespace tutti::protocol
