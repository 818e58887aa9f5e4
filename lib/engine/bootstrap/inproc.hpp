// Ranks that are threads of one process.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "lib/engine/bootstrap/job_bootstrap.hpp"

namespace tutti::bootstrap {

/// What the ranks of an in-process job share.
class InprocJob {
public:
    /// `on_abort` is called once, by the first rank that aborts, on its thread.
    InprocJob(int ranks, std::function<void(const std::string&)> on_abort);

    int size() const noexcept { return static_cast<int>(everybody_.size()); }

    /// Marks the job aborted and wakes all ranks in fetch() or fence(): they throw tutti::Error.
    void abort(std::string message);

private:
    friend class InprocBootstrap;

    void throw_if_aborted() const;

    std::vector<int> everybody_;
    std::function<void(const std::string&)> on_abort_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::pair<int, std::string>, std::vector<std::byte>> published_;
    int arrived_ = 0;          // in the current fence
    unsigned long fence_ = 0;  // fences completed
    bool aborted_ = false;
    std::string abort_message_;
};

/// abort() ends this rank's thread by throwing tutti::Error. All other ranks throw at their next call.
class InprocBootstrap final : public Bootstrap {
public:
    InprocBootstrap(std::shared_ptr<InprocJob> job, int rank) noexcept : job_(std::move(job)), rank_(rank) {}

    std::string_view name() const noexcept override { return "inproc"; }
    int rank() const noexcept override { return rank_; }
    int size() const noexcept override { return job_->size(); }
    std::span<const int> local_peers() const noexcept override { return job_->everybody_; }
    std::string job_key() override { return std::string(64, '0'); }  // threads need no key
    void publish(std::string_view key, std::span<const std::byte> value) override;
    std::vector<std::byte> fetch(int rank, std::string_view key) override;
    std::optional<std::vector<std::byte>> find(int rank, std::string_view key) override;
    void fence() override;
    [[noreturn]] void abort(int status, std::string_view message) override;
    void finalize() override {}

private:
    std::shared_ptr<InprocJob> job_;
    int rank_;
};

}  // namespace tutti::bootstrap
