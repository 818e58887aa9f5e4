// How fast connections between ranks may go: TCP's congestion control, TUTTI_TCP_CONGESTION.
//
// The system's choice is kept but for bbr. That one is made for long ways: it sends no more at a time than
// its model of the path allows, and spaces it out by timers. Between hosts whose round trips take
// microseconds the model is wrong, and messages from 64 KiB on arrive at a third of the speed
// (docs/measurements/network.md).
#pragma once

#include <string>
#include <string_view>

namespace tutti::transport::tcp {

/// What connections are to be set to; empty: nothing, the system's choice is right. `wish` names one,
/// "system" forbids a change, empty leaves it to us. Throws tutti::Error for one that the kernel does not
/// give.
std::string choose_congestion_control(std::string_view wish);

/// What TUTTI_TCP_CONGESTION wishes; empty where it is not set.
std::string congestion_wish();

/// The algorithm of a socket; empty where the kernel does not tell.
std::string congestion_control_of(int fd);
/// Nothing where `name` is empty. False where the kernel does not let it be set.
bool set_congestion_control(int fd, std::string_view name) noexcept;

}  // namespace tutti::transport::tcp
