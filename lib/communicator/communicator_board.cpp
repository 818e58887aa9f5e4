#include "lib/communicator/communicator_board.hpp"

#include <fmt/format.h>

#include "collectives/algorithms.hpp"
#include "tutti/error.hpp"

namespace tutti::detail {

namespace {

// From the lowest bit: 40 bits of size, 16 of the root (plus one, so that none is 0), 8 of the collective.
constexpr int kRootShift = 40;
constexpr int kCollectiveShift = 56;

std::string describe(std::uint64_t signature)
{
    const std::uint64_t size_bytes = signature & ((std::uint64_t{1} << kRootShift) - 1);
    const std::uint64_t root = signature >> kRootShift & 0xffff;
    return fmt::format("{}{} of {} bytes",
                       collectives::name_of_collective(static_cast<unsigned>(signature >> kCollectiveShift)),
                       root != 0 ? fmt::format(" with root {}", root - 1) : "", size_bytes);
}

}  // namespace

std::uint64_t signature_of(const collectives::Call& call) noexcept
{
    return (call.size_bytes & ((std::uint64_t{1} << kRootShift) - 1)) |
           static_cast<std::uint64_t>((call.root + 1) & 0xffff) << kRootShift |
           static_cast<std::uint64_t>(call.collective) << kCollectiveShift;
}

void CommunicatorBoard::check() const
{
    if (const auto other = memory_.disagreement())
        throw Error(
            ErrorCode::invalid_argument, "collective",
            fmt::format("this rank calls {}, rank {} of the communicator {}: all ranks must call the same "
                        "collectives, in the same order, with the same sizes and roots",
                        describe(memory_.signature()), other->member, describe(other->signature)),
            static_cast<int>(other->member));
}

}  // namespace tutti::detail
