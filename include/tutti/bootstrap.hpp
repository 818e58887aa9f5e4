// How the ranks of a job find each other where the program itself, and no launcher of Tutti's, has started
// them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tutti {

/// What a program tells Environment in place of tuttirun or a PMIx server: who this process is, and a way to
/// exchange a few small values with the other ranks. For processes that something else has started, such as
/// Python, torchrun or a service. docs/guide/embedding.md has an example.
///
/// Threads: one call at a time, from any thread that calls Tutti, and from its progress thread. Only abort()
/// may come while another call is under way.
///
/// Errors: all but abort() may throw any std::exception. The call of Tutti that needed the answer then throws
/// ErrorCode::bootstrap with its words.
class Bootstrap {
public:
    virtual ~Bootstrap() = default;

    /// 0 <= rank < size, both the same at each call. No two processes have the same rank.
    virtual int rank() const = 0;
    virtual int size() const = 0;

    /// The node of each rank, in any numbers, equal for ranks of one node; the same at all ranks. Ranks of
    /// one node talk through shared memory. Empty, as it is by default: ranks with equal host name, boot id
    /// and process namespace are taken for those of one node. Called once.
    virtual std::vector<int> nodes() { return {}; }

    /// 32 bytes that all ranks of this job know, and nobody else: whoever has them is taken for a rank.
    /// Called once at most, by all ranks of the job or by none. By default rank 0 makes them and publishes
    /// them, which is right where only ranks can fetch.
    virtual std::array<std::byte, 32> key();

    /// Lets all ranks fetch a copy of `value` as `key` of this rank. Does not wait for others. Keys begin
    /// with "tutti." and have letters and dots; each is published once, and has at most some 100 bytes a
    /// rank.
    virtual void publish(std::string_view key, std::span<const std::byte> value) = 0;

    /// The value that `rank` has published as `key`. Waits until it has, and should give up by an exception
    /// once it cannot any more. `rank` may be this one.
    virtual std::vector<std::byte> fetch(int rank, std::string_view key) = 0;

    /// The same without waiting: nothing where the value is not there yet. A rank that waits for another one
    /// on its node, with which it has not talked before, learns of its death only by this; by default it does
    /// not.
    virtual std::optional<std::vector<std::byte>> find(int rank, std::string_view key);

    /// Returns when all ranks have called it. Called once, by Environment's destructor: so none ends before
    /// the others have fetched what they need. Should give up by an exception where a rank is gone, which is
    /// then told on stderr.
    virtual void fence() = 0;

    /// This rank ends the job, by Environment::abort() or by an exception that nobody caught, and its process
    /// ends with `status` when this returns. Tell whatever started the ranks, if it does not see that by
    /// itself. Other ranks meet ErrorCode::peer_lost where they wait for this one.
    virtual void abort(int status, std::string_view message) noexcept;
};

}  // namespace tutti
