#include "lib/mpi/buffer/send_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lib/core/messages/messages.hpp"
#include "lib/core/requests/request_end.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/packed_copy.hpp"

namespace tutti::mpi {

using detail::RequestState;

namespace {

constexpr std::size_t kNowhere = ~std::size_t{0};

}  // namespace

struct SendBuffer::Flush final : MpiRequest {
    explicit Flush(detail::Process& process) noexcept
    {
        owner = &process;
        status = {.source = any_source, .tag = any_tag};
    }
    void end(std::exception_ptr failure) noexcept
    {
        failure_ = std::move(failure);
        finish(failure_ ? ErrorCode::peer_lost : ErrorCode::success);
    }
    std::exception_ptr failure() override { return failure_; }
    void recycle() noexcept override { delete this; }

    std::uint64_t end_number = 0;  // of the messages that it waits for
    std::size_t left = 0;

private:
    std::exception_ptr failure_;
};

SendBuffer::SendBuffer(detail::Process& process, void* memory, std::size_t size_bytes, std::size_t overhead)
    : process_(process),
      memory_(memory),
      size_bytes_(memory == MPI_BUFFER_AUTOMATIC ? 0 : size_bytes),
      overhead_(overhead)
{
    const detail::ConstView lent{static_cast<const std::byte*>(memory), size_bytes_, nullptr};
    if (detail::watches_frees(process))
        loan_.emplace(process, std::span(&lent, 1),
                      fmt::format("{} bytes that were attached for buffered sends", size_bytes_));
}

void SendBuffer::look_at_memory() const
{
    if (loan_)
        loan_->look("it was detached", "free it after MPI_Buffer_detach, which waits for its messages");
}

bool SendBuffer::is_automatic() const noexcept
{
    return memory_ == MPI_BUFFER_AUTOMATIC;
}

// Behind the latest message, or else the first free bytes.
std::size_t SendBuffer::place_for(std::size_t bytes) const noexcept
{
    const auto next = messages_.lower_bound(next_place_);
    const std::size_t free_until = next == messages_.end() ? size_bytes_ : next->first;
    if (free_until >= next_place_ && free_until - next_place_ >= bytes)
        return next_place_;
    std::size_t end = 0;
    for (const auto& [offset, message] : messages_) {
        if (offset - end >= bytes)
            return end;
        end = offset + message.bytes;
    }
    return size_bytes_ - end >= bytes ? end : kNowhere;
}

void SendBuffer::send(const detail::CommunicatorState& state, const detail::ConstView& view, int dest,
                      int tag)
{
    constexpr auto kMode = detail::SendMode::standard;
    const std::size_t bytes = view.size_bytes + overhead_;
    if (!is_automatic() && bytes > size_bytes_)
        fail(MPI_ERR_BUFFER,
             fmt::format("the message of {} bytes and MPI_BSEND_OVERHEAD need {} bytes, but the "
                         "attached buffer has {}; attach a larger one",
                         view.size_bytes, bytes, size_bytes_));
    if (detail::send_at_once(state, view, dest, tag, kMode))
        return;
    drop_ended();
    std::size_t place = is_automatic() ? next_number_ : place_for(bytes);
    if (place == kNowhere) {
        process_.engine().progress();
        drop_ended();
        place = place_for(bytes);
    }
    if (place == kNowhere)
        fail(MPI_ERR_BUFFER,
             fmt::format(
                 "the message of {} bytes and MPI_BSEND_OVERHEAD need {} bytes together, which the buffer "
                 "of {} bytes does not have left: {} messages have not left it; attach a larger one, or "
                 "wait with MPI_Buffer_flush",
                 view.size_bytes, bytes, size_bytes_, messages_.size()));
    Message& message =
        messages_.try_emplace(place, Message{*this, next_number_++, place, bytes, nullptr}).first->second;
    try {
        if (is_automatic())
            message.own_memory = std::make_unique_for_overwrite<std::byte[]>(view.size_bytes);
        std::byte* const data =
            is_automatic() ? message.own_memory.get() : static_cast<std::byte*>(memory_) + place;
        pack_into(data, view);
        message.operation =
            detail::begin_send(state, {data, view.size_bytes, nullptr, view.element}, dest, tag, kMode);
    } catch (...) {
        messages_.erase(place);
        throw;
    }
    if (message.operation == nullptr) {
        messages_.erase(place);
        return;
    }
    next_place_ = place + bytes;
    process_.engine().request_started();
    if (message.operation->done)
        return ended(message);
    // `keep` points to the message, without owning it.
    message.operation->keep = std::shared_ptr<void>(std::shared_ptr<void>(), &message);
    message.operation->on_finish = [](RequestState& finished) noexcept {
        auto& own = *static_cast<Message*>(finished.keep.get());
        own.buffer.ended(own);
    };
}

MPI_Request SendBuffer::flush()
{
    auto* const flush = new Flush(process_);
    flush->end_number = next_number_;
    flush->left = static_cast<std::size_t>(
        std::ranges::count_if(messages_, [](const auto& entry) { return !entry.second.operation->done; }));
    if (flush->left == 0)
        flush->end(std::exchange(failure_, nullptr));
    else
        flushes_.push_back(flush);
    return handle_of(*flush);
}

// Only notes the message, because the operation is still in use.
void SendBuffer::ended(Message& message) noexcept
{
    message.next_ended = std::exchange(ended_, &message);
    if (message.operation->status.code != ErrorCode::success && !failure_)
        failure_ = detail::failure_of(*message.operation);
    std::erase_if(flushes_, [&](Flush* flush) {
        if (message.number >= flush->end_number || --flush->left != 0)
            return false;
        flush->end(std::exchange(failure_, nullptr));
        return true;
    });
}

void SendBuffer::drop_ended() noexcept
{
    while (ended_ != nullptr) {
        Message& message = *std::exchange(ended_, ended_->next_ended);
        detail::recycle(*message.operation);
        messages_.erase(message.place);
    }
    if (messages_.empty())
        next_place_ = 0;
}

}  // namespace tutti::mpi
