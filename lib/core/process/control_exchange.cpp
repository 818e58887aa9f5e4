#include "lib/core/process/control_exchange.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace tutti::detail {

namespace {

// The daemon reports a missing entry at once. It may be stopped or busy for this time.
constexpr std::chrono::seconds kPatience{30};

std::string name_of(int descriptor)
{
    return fmt::format("descriptor {}", descriptor);
}

}  // namespace

void ControlExchange::deposit(int descriptor) noexcept
{
    channel_.deposit(name_of(descriptor), {}, descriptor);
}

void ControlExchange::withdraw(int descriptor) noexcept
{
    channel_.withdraw(name_of(descriptor));
}

base::UniqueFd ControlExchange::fetch(int rank, int descriptor) noexcept
{
    try {
        return std::move(channel_.fetch(rank, name_of(descriptor), kPatience).descriptor);
    } catch (const std::exception&) {
        return {};
    }
}

}  // namespace tutti::detail
