// How the ranks of a job find each other when no launcher of Tutti starts them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tutti/standard.hpp"

namespace tutti {

/// What a program gives Environment in place of tuttirun or a PMIx server: the identity of this process and a
/// way to exchange a few small values with the other ranks. It serves processes that Python, torchrun or a
/// service starts. docs/guide/embedding.md has an example.
///
/// Threads: one call at a time, from any thread that calls Tutti, and from its progress thread. Only abort()
/// may run while another call is under way.
///
/// Errors: all functions but abort() may throw any std::exception. The call of Tutti that needed the answer
/// then throws ErrorCode::bootstrap with the text of that exception.
class Bootstrap {
public:
    virtual ~Bootstrap() = default;

    /// 0 <= rank < size. Every call returns the same value. Each process has its own rank.
    virtual int rank() const = 0;
    virtual int size() const = 0;

    /// The node of each rank: any numbers, equal for ranks of one node, the same at all ranks. Ranks of one
    /// node communicate through shared memory. If empty (the default), ranks with equal host name, boot id
    /// and process namespace are on one node. Called once.
    virtual std::vector<int> nodes() { return {}; }

    /// 32 bytes that all ranks of this job know and nobody else knows; they prove that a process is a rank.
    /// Called at most once, by all ranks of the job or by none. By default rank 0 makes and publishes them,
    /// which is safe if only ranks can fetch.
    virtual std::array<std::byte, 32> key();

    /// Lets all ranks fetch a copy of `value` as `key` of this rank. Does not wait for others. Keys begin
    /// with "tutti." and consist of letters and dots. Each key is published once; a value has at most about
    /// 100 bytes a rank.
    virtual void publish(std::string_view key, std::span<const std::byte> value) = 0;

    /// Returns the value that `rank` publishes as `key`; waits for it. Should throw when the value can never
    /// come. `rank` may be this one.
    virtual std::vector<std::byte> fetch(int rank, std::string_view key) = 0;

    /// fetch() without waiting: empty if the value is not published yet. Tutti needs it to notice that a
    /// rank of this node has died before their first message. The default is always empty.
    virtual std::optional<std::vector<std::byte>> find(int rank, std::string_view key);

    /// Returns when all ranks have called it. Called once, by Environment's destructor, so that no rank ends
    /// before the others have fetched what they need. Should throw when a rank is gone; stderr then shows the
    /// error.
    virtual void fence() = 0;

    /// This rank ends the job, by Environment::abort() or by an uncaught exception; its process ends with
    /// `status` when this returns. Tell the program that started the ranks if it does not notice by itself.
    /// Other ranks that wait for this one get ErrorCode::peer_lost.
    virtual void abort(int status, std::string_view message) noexcept;
};

}  // namespace tutti
