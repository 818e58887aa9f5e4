// What a rank publishes so that peers can connect: the address of each of its transports, by name.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "transports/transport.hpp"

namespace tutti::detail {

inline constexpr std::string_view kCardKey = "tutti.card";

std::vector<std::byte> make_business_card(
    const std::vector<std::unique_ptr<transport::Transport>>& transports);

/// The address of the transport `name` in `card`; nothing when it has none. Throws ErrorCode::protocol when
/// the bytes are no card of this version.
std::optional<std::span<const std::byte>> find_address(std::span<const std::byte> card,
                                                       std::string_view name);

}  // namespace tutti::detail
