#include "transports/ofi/remote_copies.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tutti::transport::ofi {

namespace {

// Each completed chunk is a sign of life, also on a slow network.
constexpr std::size_t kChunkBytes = 4u << 20;
constexpr unsigned kChunksUnderWay = 4;

}  // namespace

RemoteCopies::RemoteCopies(Endpoint& endpoint, OwnMemory own, BufferPool& buffers, std::size_t buffer_bytes)
    : endpoint_(endpoint),
      own_(own),
      buffers_(buffers),
      buffer_bytes_(buffer_bytes),
      chunk_bytes_(std::min(kChunkBytes, endpoint.info().ep_attr->max_msg_size))
{
}

bool RemoteCopies::add(Copy copy)
{
    RegistrationCache* const cache = cache_of(copy);
    if (copy.buffer == nullptr && cache != nullptr && !copy.left.empty()) {
        copy.registered = cache->acquire(copy.left);
        if (copy.registered == nullptr)
            return false;
    }
    copies_.push_back(copy);
    if (copy.left.empty())
        ++over_;
    else
        ++unposted_;
    return true;
}

bool RemoteCopies::add_read(int peer, RemoteRegion remote, std::span<std::byte> local, Completion& completion)
{
    return add({.peer = peer, .writes = false, .remote = remote, .left = local, .completion = &completion});
}

bool RemoteCopies::add_write(int peer, RemoteRegion remote, std::span<const std::byte> local,
                             Completion& completion)
{
    Copy copy{.peer = peer,
              .writes = true,
              .remote = remote,
              .left = {const_cast<std::byte*>(local.data()), local.size()},
              .completion = &completion};
    if (local.size() <= buffer_bytes_ && !local.empty()) {
        copy.buffer = &buffers_.take();
        copy.left = copy.buffer->memory.first(local.size());
        std::memcpy(copy.left.data(), local.data(), local.size());
    }
    return add(copy);
}

void RemoteCopies::post_chunks(Copy& copy, fi_addr_t peer)
{
    void* const descriptor = copy.descriptor();
    while (!copy.left.empty() && copy.under_way < kChunksUnderWay) {
        if (free_.empty())
            free_.push_back(&chunks_.emplace_back());
        Chunk& chunk = *free_.back();
        const std::size_t bytes = std::min(chunk_bytes_, copy.left.size());
        const std::span<std::byte> local = copy.left.first(bytes);
        const long result =
            copy.writes
                ? endpoint_.write(peer, copy.remote.address, copy.remote.key, local, descriptor, chunk)
                : endpoint_.read(peer, copy.remote.address, copy.remote.key, local, descriptor, chunk);
        if (result == -FI_EAGAIN)
            return;
        if (result != 0) {
            copy.result = ErrorCode::system;
            drop_rest(copy);
            over_ += copy.over();
            return;
        }
        free_.pop_back();
        chunk.copy = &copy;
        ++copy.under_way;
        copy.remote.address += bytes;
        copy.left = copy.left.subspan(bytes);
        unposted_ -= copy.left.empty();
    }
}

void RemoteCopies::drop_rest(Copy& copy) noexcept
{
    unposted_ -= !copy.left.empty();
    copy.left = {};
}

void RemoteCopies::chunk_ended(FabricOperation& operation, ErrorCode result)
{
    auto& chunk = static_cast<Chunk&>(operation);
    Copy& copy = *std::exchange(chunk.copy, nullptr);
    free_.push_back(&chunk);
    --copy.under_way;
    if (result != ErrorCode::success) {
        copy.result = copy.result == ErrorCode::success ? result : copy.result;
        drop_rest(copy);
    }
    over_ += copy.over();
}

int RemoteCopies::peer_of(FabricOperation& chunk) const noexcept
{
    return static_cast<Chunk&>(chunk).copy->peer;
}

std::size_t RemoteCopies::finish()
{
    std::size_t finished = 0;
    // A completion may add copies. So the search starts anew each time; it ends soon, as the first to start
    // are the first to end.
    while (over_ != 0) {
        const auto over = std::ranges::find_if(copies_, &Copy::over);
        --over_;
        const Copy copy = *over;
        copies_.erase(over);
        if (copy.registered != nullptr)
            cache_of(copy)->release(*copy.registered);
        if (copy.buffer != nullptr)
            buffers_.give_back(*copy.buffer);
        if (copy.result == ErrorCode::success)
            ++(copy.writes ? writes_ : reads_);
        if (copy.completion != nullptr) {
            ++finished;
            copy.completion->fire(*copy.completion, copy.result);
        }
    }
    return finished;
}

void RemoteCopies::lose(int peer)
{
    for (Copy& copy : copies_) {
        if (copy.peer != peer || copy.over())
            continue;
        copy.result = ErrorCode::peer_lost;
        drop_rest(copy);
        over_ += copy.over();
    }
}

void RemoteCopies::abandon(int peer)
{
    for (Copy& copy : copies_) {
        if (copy.peer == peer && copy.completion != nullptr && !copy.over()) {
            Completion& completion = *std::exchange(copy.completion, nullptr);
            completion.fire(completion, ErrorCode::peer_lost);
            return abandon(peer);
        }
    }
}

void RemoteCopies::abandon(const Completion& completion) noexcept
{
    const auto copy = std::ranges::find(copies_, &completion, &Copy::completion);
    if (copy == copies_.end())
        return;
    copy->completion = nullptr;
    if (copy->over())
        return;  // counted already
    drop_rest(*copy);
    over_ += copy->over();
}

bool RemoteCopies::any_of(int peer) const noexcept
{
    return std::ranges::any_of(
        copies_, [peer](const Copy& copy) { return copy.peer == peer && copy.completion != nullptr; });
}

void RemoteCopies::cancel_all()
{
    over_ = unposted_ = 0;
    while (!copies_.empty()) {
        const Copy copy = copies_.front();
        copies_.pop_front();
        if (copy.completion != nullptr)
            copy.completion->fire(*copy.completion, ErrorCode::cancelled);
    }
}

}  // namespace tutti::transport::ofi
