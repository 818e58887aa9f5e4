// What a rank publishes so that peers can connect: the address of each of its transports, by name, whether
// it shares cores, and whether it checks its messages.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "transports/transport.hpp"

namespace tutti::detail {

inline constexpr std::string_view kContactKey = "tutti.contact";

std::vector<std::byte> make_rank_contact(const std::vector<std::unique_ptr<transport::Transport>>& transports,
                                         bool shares_cores, bool is_checked);

/// The address of the transport `name` in `contact`; empty if there is none. Throws ErrorCode::protocol if
/// the bytes are not a contact of this version.
std::optional<std::span<const std::byte>> find_address(std::span<const std::byte> contact,
                                                       std::string_view name);

/// Whether the contact's rank regards its cores as shared. Throws like find_address().
bool shares_cores(std::span<const std::byte> contact);
/// Whether the contact's rank checks its messages (lib/core/check). Throws like find_address().
bool is_checked(std::span<const std::byte> contact);

}  // namespace tutti::detail
