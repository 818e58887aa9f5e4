#include "lib/engine/bootstrap/inproc.hpp"

#include <fmt/format.h>

#include <numeric>

#include "lib/foundation/base/job_aborted.hpp"

namespace tutti::bootstrap {

InprocJob::InprocJob(int ranks, std::function<void(const std::string&)> on_abort)
    : everybody_(static_cast<std::size_t>(ranks)), on_abort_(std::move(on_abort))
{
    std::iota(everybody_.begin(), everybody_.end(), 0);
}

void InprocJob::abort(std::string message)
{
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(aborted_, true))
            return;
        abort_message_ = std::move(message);
    }
    changed_.notify_all();
    on_abort_(abort_message_);
}

void InprocJob::throw_if_aborted() const
{
    if (aborted_)
        throw base::JobAborted(ErrorCode::peer_lost, "bootstrap",
                               fmt::format("the job was aborted: {}", abort_message_));
}

void InprocBootstrap::publish(std::string_view key, std::span<const std::byte> value)
{
    {
        const std::lock_guard lock(job_->mutex_);
        job_->published_[{rank_, std::string(key)}].assign(value.begin(), value.end());
    }
    job_->changed_.notify_all();
}

std::vector<std::byte> InprocBootstrap::fetch(int rank, std::string_view key)
{
    if (rank < 0 || rank >= size())
        throw Error(ErrorCode::bootstrap, "fetch", fmt::format("there is no rank {} among {}", rank, size()),
                    rank);
    std::unique_lock lock(job_->mutex_);
    const std::pair wanted(rank, std::string(key));
    auto found = job_->published_.find(wanted);
    job_->changed_.wait(lock, [&] {
        found = job_->published_.find(wanted);
        return job_->aborted_ || found != job_->published_.end();
    });
    job_->throw_if_aborted();
    return found->second;
}

std::optional<std::vector<std::byte>> InprocBootstrap::find(int rank, std::string_view key)
{
    const std::lock_guard lock(job_->mutex_);
    const auto found = job_->published_.find({rank, std::string(key)});
    return found != job_->published_.end() ? std::optional(found->second) : std::nullopt;
}

void InprocBootstrap::fence()
{
    std::unique_lock lock(job_->mutex_);
    const unsigned long mine = job_->fence_;
    if (++job_->arrived_ == size()) {
        job_->arrived_ = 0;
        ++job_->fence_;
        job_->changed_.notify_all();
    }
    job_->changed_.wait(lock, [&] { return job_->aborted_ || job_->fence_ != mine; });
    job_->throw_if_aborted();
}

void InprocBootstrap::abort(int status, std::string_view message)
{
    job_->abort(std::string(message));
    throw Error(ErrorCode::peer_lost, "abort",
                fmt::format("rank {} ended the job with status {}: {}", rank_, status, message));
}

}  // namespace tutti::bootstrap
