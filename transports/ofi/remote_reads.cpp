#include "transports/ofi/remote_reads.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <utility>

namespace tutti::transport::ofi {

namespace {

// Each completed chunk is a sign of life, also on a slow network.
constexpr std::size_t kChunkBytes = 4u << 20;
constexpr unsigned kChunksUnderWay = 4;

}  // namespace

RemoteReads::RemoteReads(Endpoint& endpoint, RegistrationCache* landing)
    : endpoint_(endpoint),
      landing_(landing),
      chunk_bytes_(std::min(kChunkBytes, endpoint.info().ep_attr->max_msg_size))
{
}

bool RemoteReads::add(int peer, RemoteRegion remote, std::span<std::byte> local, Completion& completion)
{
    RegistrationCache::Entry* landing = nullptr;
    if (landing_ != nullptr && !local.empty() && (landing = landing_->acquire(local)) == nullptr)
        return false;
    reads_.push_back({peer, remote, local, &completion, landing});
    if (local.empty())
        ++over_;
    else
        ++unposted_;
    return true;
}

void RemoteReads::post_chunks(Read& read, fi_addr_t from)
{
    void* const descriptor = read.landing != nullptr ? read.landing->registration.descriptor : nullptr;
    while (!read.left.empty() && read.under_way < kChunksUnderWay) {
        if (free_.empty())
            free_.push_back(&chunks_.emplace_back());
        Chunk& chunk = *free_.back();
        const std::size_t bytes = std::min(chunk_bytes_, read.left.size());
        const long result = endpoint_.read(from, read.remote.address, read.remote.key, read.left.first(bytes),
                                           descriptor, chunk);
        if (result == -FI_EAGAIN)
            return;
        if (result != 0) {
            read.result = ErrorCode::system;
            drop_rest(read);
            over_ += read.over();
            return;
        }
        free_.pop_back();
        chunk.read = &read;
        ++read.under_way;
        read.remote.address += bytes;
        read.left = read.left.subspan(bytes);
        unposted_ -= read.left.empty();
    }
}

void RemoteReads::drop_rest(Read& read) noexcept
{
    unposted_ -= !read.left.empty();
    read.left = {};
}

void RemoteReads::chunk_ended(Operation& operation, ErrorCode result)
{
    auto& chunk = static_cast<Chunk&>(operation);
    Read& read = *std::exchange(chunk.read, nullptr);
    free_.push_back(&chunk);
    --read.under_way;
    if (result != ErrorCode::success) {
        read.result = read.result == ErrorCode::success ? result : read.result;
        drop_rest(read);
    }
    over_ += read.over();
}

int RemoteReads::peer_of(Operation& chunk) const noexcept
{
    return static_cast<Chunk&>(chunk).read->peer;
}

std::size_t RemoteReads::finish()
{
    std::size_t finished = 0;
    // A completion may add reads. So the search starts anew each time; there are few reads.
    while (over_ != 0) {
        const auto over = std::ranges::find_if(reads_, &Read::over);
        --over_;
        const Read read = *over;
        reads_.erase(over);
        if (read.landing != nullptr)
            landing_->release(*read.landing);
        if (read.completion != nullptr) {
            ++finished;
            read.completion->fire(*read.completion, read.result);
        }
    }
    return finished;
}

void RemoteReads::lose(int peer)
{
    for (Read& read : reads_) {
        if (read.peer != peer || read.over())
            continue;
        read.result = ErrorCode::peer_lost;
        drop_rest(read);
        over_ += read.over();
    }
}

void RemoteReads::abandon(int peer)
{
    for (Read& read : reads_) {
        if (read.peer == peer && read.completion != nullptr && !read.over()) {
            Completion& completion = *std::exchange(read.completion, nullptr);
            completion.fire(completion, ErrorCode::peer_lost);
            return abandon(peer);
        }
    }
}

void RemoteReads::abandon(const Completion& completion) noexcept
{
    const auto read = std::ranges::find(reads_, &completion, &Read::completion);
    if (read == reads_.end())
        return;
    read->completion = nullptr;
    if (read->over())
        return;  // counted already
    drop_rest(*read);
    over_ += read->over();
}

bool RemoteReads::any_of(int peer) const noexcept
{
    return std::ranges::any_of(
        reads_, [peer](const Read& read) { return read.peer == peer && read.completion != nullptr; });
}

void RemoteReads::cancel_all()
{
    over_ = unposted_ = 0;
    while (!reads_.empty()) {
        const Read read = reads_.front();
        reads_.pop_front();
        if (read.completion != nullptr)
            read.completion->fire(*read.completion, ErrorCode::cancelled);
    }
}

}  // namespace tutti::transport::ofi
