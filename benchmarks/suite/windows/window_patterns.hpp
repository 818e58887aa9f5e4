// The loops over windows that IMB-RMA has and OSU's benchmarks lack: one rank, or every rank, writes to or
// reads from all others, or both neighbours, in one epoch of lock_all; and a write to a rank that computes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/suite/collectives/overlap.hpp"
#include "benchmarks/suite/session/session.hpp"
#include "benchmarks/suite/session/validate.hpp"

namespace tutti::bench {

struct WindowPattern {
    bool puts;
    bool neighbors;  // else all other ranks
    bool root_only;  // rank 0 acts, and nobody else

    static WindowPattern of(std::string_view benchmark)
    {
        return {benchmark.find("put") != std::string_view::npos, benchmark.starts_with("exchange"),
                benchmark.starts_with("one")};
    }

    /// A block of one rank's buffer and one of the target's window, by their numbers.
    struct Transfer {
        int target;
        std::size_t here;
        std::size_t there;
    };

    /// What a rank does in an iteration. Ranks begin with different targets, and no block is written twice.
    std::vector<Transfer> transfers(int rank, int ranks) const
    {
        if (root_only && rank != 0)
            return {};
        if (neighbors)
            return {{(rank + ranks - 1) % ranks, 0, 0}, {(rank + 1) % ranks, 1, 1}};
        std::vector<Transfer> all;
        for (int i = 1; i < ranks; ++i) {
            const int target = (rank + i) % ranks;
            all.push_back(
                {target, puts ? 0 : static_cast<std::size_t>(target), static_cast<std::size_t>(rank)});
        }
        return all;
    }
    /// Blocks of a window, and of each buffer.
    std::size_t blocks(int ranks) const { return neighbors ? 2 : static_cast<std::size_t>(ranks); }
};

/// One row.
template <Backend B>
class WindowPatternLoop {
public:
    using T = std::int8_t;
    using Window = typename B::template Window<T>;

    /// `window`, `out` and `in` have room for all blocks.
    WindowPatternLoop(Session<B>& session, Window& window, std::span<T> out, std::span<T> in)
        : job_(session.job()),
          window_(window),
          pattern_(WindowPattern::of(session.benchmark().name)),
          transfers_(pattern_.transfers(job_.rank(), job_.size())),
          local_(session.synchronization() == Synchronization::flush_local),
          out_(out),
          in_(in),
          block_bytes_(out.size() / pattern_.blocks(job_.size()))
    {
    }

    /// All ranks: the epoch of the iterations.
    void open() { epoch_.emplace(window_.lock_all()); }
    void close() { epoch_.reset(); }

    void iteration()
    {
        for (const WindowPattern::Transfer& one : transfers_) {
            const auto target = (*epoch_)[one.target];
            if (pattern_.puts)
                target.put(std::span<const T>(block(out_, one.here)), one.there * block_bytes_);
            else
                target.get(block(in_, one.here), one.there * block_bytes_);
        }
        if (!pattern_.neighbors) {
            if (!transfers_.empty())
                local_ ? epoch_->flush_local() : epoch_->flush();
            return;
        }
        for (const WindowPattern::Transfer& one : transfers_)
            local_ ? epoch_->flush_local(one.target) : epoch_->flush(one.target);
    }

    /// One iteration on known elements. Whether all of all ranks are right afterwards.
    bool check()
    {
        const int rank = job_.rank();
        {
            const auto own = window_.lock(rank);
            fill(window_.local(), kWindowSalt + rank);
        }
        fill(out_, kOutSalt + rank);
        fill(in_, 0);
        job_.barrier();
        open();
        iteration();
        close();
        job_.barrier();
        std::size_t wrong = 0;
        for (const WindowPattern::Transfer& one : transfers_)
            if (!pattern_.puts)
                wrong += differences(block(in_, one.here), one.there, kWindowSalt + one.target);
        const auto own = window_.lock(rank);
        for (std::size_t there = 0; there < pattern_.blocks(job_.size()); ++there) {
            const std::optional<std::pair<int, std::size_t>> writer = writer_of(there);
            const std::span<T> found = block(window_.local(), there);
            wrong += writer ? differences(found, writer->second, kOutSalt + writer->first)
                            : differences(found, there, kWindowSalt + rank);
        }
        return none_wrong(job_, wrong);
    }

private:
    using Epoch = decltype(std::declval<Window&>().lock_all());
    static constexpr int kWindowSalt = 1;
    static constexpr int kOutSalt = 50;

    static T element(std::size_t index, int salt)
    {
        return static_cast<T>((7 * index + 11 * static_cast<std::size_t>(salt)) % 101);
    }
    static void fill(std::span<T> elements, int salt)
    {
        for (std::size_t i = 0; i < elements.size(); ++i)
            elements[i] = element(i, salt);
    }
    /// How many elements differ from the block of this number, as fill() writes it.
    std::size_t differences(std::span<const T> found, std::size_t number, int salt) const
    {
        std::size_t count = 0;
        for (std::size_t i = 0; i < found.size(); ++i)
            count += found[i] != element(number * block_bytes_ + i, salt) ? 1 : 0;
        return count;
    }
    std::span<T> block(std::span<T> memory, std::size_t number) const
    {
        return memory.subspan(number * block_bytes_, block_bytes_);
    }
    /// The rank that writes to a block of this rank's window, and from which of its blocks.
    std::optional<std::pair<int, std::size_t>> writer_of(std::size_t there) const
    {
        for (int rank = 0; pattern_.puts && rank < job_.size(); ++rank)
            for (const WindowPattern::Transfer& one : pattern_.transfers(rank, job_.size()))
                if (one.target == job_.rank() && one.there == there)
                    return std::pair(rank, one.here);
        return std::nullopt;
    }

    B& job_;
    Window& window_;
    const WindowPattern pattern_;
    const std::vector<WindowPattern::Transfer> transfers_;
    const bool local_;
    const std::span<T> out_, in_;
    const std::size_t block_bytes_;
    std::optional<Epoch> epoch_;
};

/// For each size: `measure(window, out, in, size_bytes)`, with a window of so many blocks and buffers
/// likewise.
template <Backend B, class Measure>
void each_window(Session<B>& session, std::size_t blocks, Measure measure)
{
    using T = std::int8_t;
    session.each_size(blocks, [&](Buffers& buffers, std::size_t size_bytes) {
        const std::size_t all_bytes = blocks * size_bytes;
        const std::size_t window_bytes = std::max(all_bytes, kPageBytes);  // as in one_sided_of()
        PageBuffer memory(window_bytes, 'c', session.memory());
        const auto elements = [](PageBuffer& buffer, std::size_t bytes) {
            return std::span<T>(reinterpret_cast<T*>(buffer.bytes(0).data()), bytes);
        };
        auto window = session.job().window(session.options().window_kind, elements(memory, window_bytes));
        measure(window, elements(buffers.out, all_bytes), elements(buffers.in, all_bytes), size_bytes);
    });
}

/// one_put_all and all others of any number of ranks.
template <Backend B>
void window_patterns(Session<B>& session)
{
    const WindowPattern pattern = WindowPattern::of(session.benchmark().name);
    session.open(Start::free);
    each_window(
        session, pattern.blocks(session.job().size()),
        [&](auto& window, std::span<std::int8_t> out, std::span<std::int8_t> in, std::size_t size_bytes) {
            WindowPatternLoop<B> loop(session, window, out, in);
            const std::optional<bool> valid = session.checked([&] { return loop.check(); });
            session.job().barrier();  // nobody reads what it has found there any more
            loop.open();
            const Series series = session.sampler().iterations(pattern.root_only ? Over::root : Over::slowest,
                                                               Start::free, [&] { loop.iteration(); });
            loop.close();
            session.row(
                static_cast<double>(size_bytes), series, [](double us) { return us; }, valid);
        });
}

/// passive_put: what a write takes while its target computes, and while it waits in a barrier.
template <Backend B>
void passive_put(Session<B>& session)
{
    constexpr double kComputedUs = 100.0;
    constexpr LoopCount kUsual{100, 10};
    B& job = session.job();
    const bool local = session.synchronization() == Synchronization::flush_local;
    Computing computing(false);
    session.open(Start::barrier,
                 {.parts = {{"Waiting(us)"}},
                  .notes = {fmt::format("Rank 1 computes for {} us after each barrier; Waiting: it does not",
                                        kComputedUs)}});
    const double own_us = session.sampler().taken_off_ns(Start::barrier) / 1000.0;
    each_window(session, 1, [&](auto& window, std::span<std::int8_t> out, auto, std::size_t size_bytes) {
        const auto put_and_flush = [&](const auto& target) {
            target.put(std::span<const std::int8_t>(out), 0);
            local ? target.flush_local() : target.flush();
        };
        const std::optional<bool> valid = session.checked([&] {
            fill_pattern(std::as_writable_bytes(out), 1);
            job.barrier();
            if (job.rank() == 0)
                put_and_flush(window.lock_shared(1));
            job.barrier();
            const auto own = window.lock(job.rank());
            return none_wrong(
                job, job.rank() == 1 ? wrong_bytes(std::as_bytes(window.local().first(out.size())), 1) : 0);
        });
        const auto time = [&](double computed_us) {
            const long steps = computing.steps(computed_us);
            return session.sampler().rounds(Over::root, kUsual, [&](LoopCount loop) {
                std::optional<decltype(window.lock_shared(1))> target;
                if (job.rank() == 0)
                    target.emplace(window.lock_shared(1));
                double total_us = 0.0;
                for (int i = 0; i < loop.warmup + loop.iterations; ++i) {
                    job.barrier();
                    const double begin = now_us();
                    if (target)
                        put_and_flush(*target);
                    else
                        computing.run(steps);
                    total_us += i < loop.warmup ? 0.0 : std::max(now_us() - begin - own_us, 0.0);
                }
                return total_us / loop.iterations;
            });
        };
        const Series waiting = time(0.0);
        const Series meanwhile = time(kComputedUs);
        if (!session.is_root())
            return;
        Row row = row_of(static_cast<double>(size_bytes), meanwhile, [](double us) { return us; });
        row.valid = valid;
        row.parts = {median(waiting.values())};
        session.row(row);
    });
}

}  // namespace tutti::bench
