// TCP's congestion control for connections between ranks: TUTTI_TCP_CONGESTION.
//
// The system's choice is kept unless it is bbr, which is made for long distances: it limits the bytes under
// way by a model of the path, and spaces them by timers. The model is wrong between hosts with round trips of
// microseconds: messages from 64 KiB on arrive at a third of the speed (docs/measurements/network.md).
#pragma once

#include <string>
#include <string_view>

namespace tutti::transport::tcp {

/// The algorithm to set on connections; empty: keep the system's choice. `wish` names one; "system" forbids a
/// change; empty leaves the choice to Tutti. Throws tutti::Error when the kernel does not offer it.
std::string choose_congestion_control(std::string_view wish);

/// The value of TUTTI_TCP_CONGESTION; empty when it is not set.
std::string congestion_asked_for();

/// The algorithm of a socket; empty when the kernel does not tell it.
std::string congestion_control_of(int fd);
/// Does nothing when `name` is empty. False when the kernel refuses it.
bool set_congestion_control(int fd, std::string_view name) noexcept;

}  // namespace tutti::transport::tcp
