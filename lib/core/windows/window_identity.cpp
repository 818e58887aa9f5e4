#include "lib/core/windows/window_identity.hpp"

#include <fmt/format.h>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/windows/window_service.hpp"

namespace tutti::detail {

WindowIdentity::WindowIdentity(StatePointer communicator, WindowFlavor flavor)
    : communicator_(std::move(communicator)),
      process_(communicator_->process()),
      flavor_(flavor),
      rank_(communicator_->rank()),
      size_(communicator_->size())
{
    const auto lock = process_.engine().lock();
    name_ = fmt::format("window {}", process_.windows().next_number());
    communicator_->set_name(name_);
}

void WindowIdentity::set_name(std::string_view name)
{
    constexpr std::size_t kMostShown = 20;  // what fits the status page, with its quotes
    name_ = name;
    communicator_->set_name(fmt::format("window \"{}\"", name.substr(0, kMostShown)));
}

int WindowIdentity::world_rank(int rank) const noexcept
{
    return communicator_->world_rank(rank);
}

void WindowIdentity::add_to(std::set<int>& ranks, int rank) const
{
    if (rank != rank_)
        ranks.insert(world_rank(rank));
}

void WindowIdentity::send(int rank, WindowHeader::What what, std::uint64_t id, std::uint64_t detail,
                          std::span<const std::byte> payload) const
{
    process_.protocol().send_frame(world_rank(rank), header_of(what, id, detail), payload);
    process_.engine().started();
}

void WindowIdentity::send_soon(int rank, WindowHeader::What what, std::uint64_t id, std::uint64_t detail,
                               std::span<const std::byte> payload) const
{
    process_.protocol().send_frame_soon(world_rank(rank), header_of(what, id, detail), payload);
}

void WindowIdentity::flush(int rank) const
{
    process_.protocol().flush(world_rank(rank));
    process_.engine().started();
}

WindowHeader WindowIdentity::header_of(WindowHeader::What what, std::uint64_t id,
                                       std::uint64_t detail) const noexcept
{
    return {protocol::Lead::of(protocol::FrameKind::window_call, communicator_->context()), what,
            static_cast<std::uint32_t>(rank_), id, detail};
}

void WindowIdentity::refuse(WindowFault fault, std::string_view operation, int rank,
                            std::string_view detail) const
{
    const std::string where = rank == Error::kNoPeer ? name_ : fmt::format("{}, rank {}", name_, rank);
    throw WindowError(fault, operation, fmt::format("{}: {}", where, detail), rank);
}

void WindowIdentity::refuse_rank(std::string_view operation, int rank) const
{
    throw Error(ErrorCode::invalid_rank, operation,
                fmt::format("{}: there is no rank {}; its ranks are 0 to {}", name_, rank, size_ - 1), rank);
}

void WindowIdentity::refuse_epoch(std::string_view operation, int rank) const
{
    refuse(WindowFault::epoch, operation, rank,
           fmt::format("this rank is in an epoch {}; end it first", epoch_in_words()));
}

std::string_view WindowIdentity::epoch_in_words() const noexcept
{
    switch (epoch_) {
        case WindowEpoch::none:
            break;
        case WindowEpoch::fence:
            return "of fence()";
        case WindowEpoch::started:
            return "of start()";
        case WindowEpoch::locks:
            return "of lock()";
        case WindowEpoch::all_locked:
            return "of lock_all()";
    }
    return "of no kind";
}

std::string WindowIdentity::in_epoch() const
{
    return epoch_ == WindowEpoch::none ? "" : fmt::format(", in the epoch {}", epoch_in_words());
}

std::string WindowIdentity::range_in_words(std::ptrdiff_t begin, std::ptrdiff_t end) const
{
    return flavor_ == WindowFlavor::dynamic ? fmt::format("addresses {:#x} to {:#x}", begin, end)
                                            : fmt::format("bytes {} to {}", begin, end);
}

}  // namespace tutti::detail
