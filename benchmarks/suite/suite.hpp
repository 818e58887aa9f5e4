// From a parsed command line to rows: which loop runs at which sizes, how often, and who prints.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "benchmarks/suite/blocks.hpp"
#include "benchmarks/suite/collective.hpp"
#include "benchmarks/suite/idle.hpp"
#include "benchmarks/suite/matching.hpp"
#include "benchmarks/suite/options.hpp"
#include "benchmarks/suite/overlap.hpp"
#include "benchmarks/suite/point_to_point.hpp"
#include "benchmarks/suite/reduce_op.hpp"
#include "benchmarks/suite/report.hpp"
#include "benchmarks/suite/statistics.hpp"
#include "benchmarks/suite/validate.hpp"

namespace tutti::bench {

/// The job does not suit the benchmark. All ranks notice alike, so none is left waiting.
struct UnsuitableJob : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <Backend B>
class Suite {
public:
    Suite(B& job, const Options& options) : job_(job), options_(options) {}

    /// Runs the chosen benchmark on all ranks. False when validation failed (known to rank 0 only).
    /// Throws UnsuitableJob before anything is sent, std::runtime_error when the JSON file cannot be written.
    bool run()
    {
        const std::string& name = options_.benchmark;
        if (name == "latency" || name == "bw" || name == "bibw" || name == "rate")
            point_to_point(name);
        else if (name == "matching")
            matching_depths();
        else if (name == "idle")
            idle_wait();
        else if (name == "barrier")
            barriers();
        else if (name == "ring")
            token_ring();
        else if (name == "broadcast")
            broadcasts();
        else if (name == "reduce-op")
            reduction_kernels();
        else if (name == "allreduce" || name == "reduce")
            sums(name == "allreduce");
        else if (is_overlap(name))
            overlaps(name);
        else
            blocks(name);
        if (report_)
            report_->finish();
        return !report_ || !report_->failed();
    }

private:
    void point_to_point(const std::string& name)
    {
        require(job_.size() == 2, "exactly 2 ranks: start it with -n 2");
        const int window = options_.window;
        const auto validate = [this](Buffers&, std::size_t size) { return validate_messages(job_, size); };
        const auto each_size = [&](Columns columns, auto measure) {
            open_report(std::move(columns));
            sizes([&](Buffers& buffers, std::size_t size,
                      LoopCount loop) { return Sample::single(measure(buffers, size, loop)); },
                  validate);
        };
        if (name == "latency")
            each_size({"Latency Test", "Size", "Latency", "us"}, [this](auto& buffers, auto size, auto loop) {
                return latency(job_, buffers, size, loop);
            });
        else if (name == "bw")
            each_size(
                {"Bandwidth Test", "Size", "Bandwidth", "MB/s", 2}, [=, this](auto& b, auto size, auto loop) {
                    return static_cast<double>(size) * window / one_way_window(job_, b, size, loop, window);
                });
        else if (name == "bibw")
            each_size({"Bi-Directional Bandwidth Test", "Size", "Bandwidth", "MB/s", 2},
                      [=, this](auto& b, auto size, auto loop) {
                          return 2.0 * static_cast<double>(size) * window /
                                 two_way_window(job_, b, size, loop, window);
                      });
        else
            each_size({"Message Rate Test", "Size", "Messages/s", "1/s", 2},
                      [=, this](auto& b, auto size, auto loop) {
                          return 1e6 * window / one_way_window(job_, b, size, loop, window);
                      });
    }

    // Back to back, without sizes: one row, one value.
    void barriers()
    {
        open_report({"Barrier Latency Test", "", "Avg Latency", "us"});
        const LoopCount loop = options_.loop_count(0);
        row({}, loop.iterations, {}, [&] { return barrier(job_, loop); });
    }

    // Every rank waits for its neighbour: with more ranks than cores this measures how fast ranks give way.
    void token_ring()
    {
        require(job_.size() >= 2, "2 ranks or more: start it with -n 2");
        open_report({"Ping-pong Ring Test (time of a round / ranks)", "Size", "Latency", "us"});
        sizes([this](auto& buffers, auto size,
                     auto loop) { return Sample::single(ring(job_, buffers, size, loop)); },
              [this](auto& buffers, auto size) { return validate_ring(job_, buffers, size); });
    }

    // Always from rank 0, as OSU does: the tree's leaves are the same ranks each time.
    void broadcasts()
    {
        open_report({"Broadcast Latency Test", "Size", "Avg Latency", "us"});
        sizes(
            [this](auto& buffers, auto size, auto loop) {
                const Bytes data = buffers.in.bytes(size);
                return collective(job_, loop, [&] { job_.broadcast(data, 0); });
            },
            [this](auto& buffers, auto size) { return validate_broadcast(job_, buffers, size); });
    }

    // allreduce (everywhere) or reduce to rank 0, of floats.
    void sums(bool everywhere)
    {
        require_whole_floats();
        open_report(
            {everywhere ? "Allreduce Latency Test" : "Reduce Latency Test", "Size", "Avg Latency", "us"});
        const auto call = [this, everywhere](std::span<const float> in, std::span<float> out) {
            if (everywhere)
                job_.allreduce(in, out);
            else
                job_.reduce(in, out, 0);
        };
        sizes(
            [&](auto& buffers, auto size, auto loop) {
                const std::span<float> in = buffers.out.floats(size);
                const std::span<float> out = buffers.in.floats(size);
                // Ones: repeated sums must not run into denormals or infinities, which take other times.
                std::fill(in.begin(), in.end(), 1.0f);
                return collective(job_, loop, [&] { call(in, out); });
            },
            [&](auto& buffers, auto size) { return validate_sum(job_, buffers, size, everywhere, call); });
    }

    void blocks(const std::string& name)
    {
        if (name == "reduce_scatter")
            require_whole_floats();
        open_report(
            {fmt::format("{} Latency Test (blocks of this size)", name), "Size", "Avg Latency", "us"});
        sizes(
            [&](auto& buffers, auto size, auto loop) {
                if (name == "reduce_scatter") {
                    const auto terms = buffers.out.floats(size * static_cast<std::size_t>(job_.size()));
                    std::fill(terms.begin(), terms.end(), 1.0f);
                }
                return collective(job_, loop, BlockCollective(job_, name, buffers, size));
            },
            [&](auto& buffers, auto size) { return BlockCollective(job_, name, buffers, size).validate(); },
            static_cast<std::size_t>(job_.size()));
    }

    // Each part is the median of the repetitions, the overlap that of theirs.
    void overlaps(const std::string& name)
    {
        if (name == "iallreduce")
            require_whole_floats();
        const bool tests = options_.tests > 0;
        std::vector<std::string> parts = {"Compute", "Coll. Init", "Wait", "Pure Comm.", "Overlap (%)"};
        if (tests)
            parts.insert(parts.begin() + 2, "Test");
        open_report(
            {fmt::format("{} Overlap Test", name), "Size", "Overall", "us", 3, {}, {}, std::move(parts)});
        const bool blocks = name == "iallgather" || name == "ialltoall";
        const std::vector<std::size_t> list = options_.size_list();
        Buffers buffers = make_buffers(list, blocks ? static_cast<std::size_t>(job_.size()) : 1);
        Computing computing;
        for (const std::size_t size : list) {
            const LoopCount loop = options_.loop_count(size);
            NonblockingCollective<B> collective(job_, name, buffers, size);
            std::optional<bool> valid;
            if (options_.validate)
                valid = collective.validate();
            collective.fill();
            std::vector<std::vector<double>> figures(tests ? 6 : 5);
            const std::vector<Sample> samples = repeat([&] {
                const auto [times, overall] = overlap_over_ranks(
                    job_, overlap_times(job_, collective, loop, options_.tests, computing));
                std::vector<double> row = {times.compute, times.start, times.wait, times.pure,
                                           times.overlap_percent()};
                if (tests)
                    row.insert(row.begin() + 2, times.test);
                for (std::size_t i = 0; i < row.size(); ++i)
                    figures[i].push_back(row[i]);
                return overall;
            });
            Context context;
            for (const std::vector<double>& figure : figures)
                context.parts.push_back(median(figure));
            if (report_)
                report_->row(static_cast<double>(size), samples, loop.iterations, valid, context);
        }
    }

    // A row a depth. Rank 0 receives, all other ranks are sources.
    void matching_depths()
    {
        require(job_.size() >= 2, "2 ranks or more: start it with -n 2");
        open_report({fmt::format("Matching Test, queue of {}, {} source ranks",
                                 options_.mode == "unexpected" ? "unexpected messages"
                                 : options_.mode == "wildcard" ? "receives from any source"
                                                               : "posted receives",
                                 job_.size() - 1),
                     "Depth", "Latency", "us"});
        const LoopCount loop = options_.loop_count(0);
        for (const int depth : options_.depths)
            row(static_cast<double>(depth), loop.iterations, {},
                [&] { return Sample::single(matching(job_, depth, options_.mode, loop)); });
    }

    // The busiest of the waiting ranks counts: one that spins is one too many.
    void idle_wait()
    {
        require(job_.size() >= 2, "2 ranks or more: start it with -n 2");
        open_report({"Idle Test (CPU time of a rank that waits in recv)", "Seconds", "CPU Time", "s", 4});
        row(options_.seconds, 1, {}, [&] {
            const Sample sample = over_ranks(job_, idle(job_, options_.seconds));
            return Sample::single(sample.max);
        });
    }

    // For each size a row for a plain copy, then one for each operator and type that the library has. Several
    // ranks measure at once, and share what the memory gives.
    void reduction_kernels()
    {
        open_report({"Reduction Kernel Test (bytes read and written)",
                     "Size",
                     "Bandwidth",
                     "GB/s",
                     2,
                     "Of copy",
                     {"Operator", "Type"}});
        const std::vector<std::size_t> list = options_.size_list();
        Buffers buffers(list.empty() ? 0 : list.back());
        for (const std::size_t size : list) {
            const LoopCount loop = reduction_loop(options_, size);
            const auto show = [&](const std::vector<Sample>& samples, double copy,
                                  std::vector<std::string> labels) {
                if (report_)
                    report_->row(static_cast<double>(size), samples, loop.iterations, {},
                                 {copy, std::move(labels)});
            };
            const std::vector<Sample> copies =
                repeat([&] { return over_ranks(job_, copy_bandwidth(buffers, size, loop)); });
            const double copy = median_value(copies);
            show(copies, copy, {"copy", "bytes"});
            for (const auto& [op, type] : reductions_named(options_.ops, options_.types)) {
                if (const auto known = B::reduction(op, type))
                    show(repeat([&, element = type] {
                             return over_ranks(job_,
                                               reduction_bandwidth(*known, element, buffers, size, loop));
                         }),
                         copy, {std::string(reduction::to_string(op)), reduction::to_string(type)});
            }
        }
    }

    // Room for `blocks` of the largest size.
    Buffers make_buffers(const std::vector<std::size_t>& list, std::size_t blocks) const
    {
        return Buffers(list.empty() ? 0 : blocks * list.back(),
                       options_.memory == "library" ? B::memory() : kOrdinaryMemory);
    }

    // One row a size: repetitions of `measure`, after `validate` where that was asked for.
    template <class Measure, class Validate>
    void sizes(Measure measure, Validate validate, std::size_t blocks = 1)
    {
        const std::vector<std::size_t> list = options_.size_list();
        Buffers buffers = make_buffers(list, blocks);
        for (const std::size_t size : list) {
            const LoopCount loop = options_.loop_count(size);
            std::optional<bool> valid;
            if (options_.validate)
                valid = validate(buffers, size);
            row(static_cast<double>(size), loop.iterations, valid,
                [&] { return measure(buffers, size, loop); });
        }
    }

    // All ranks start each repetition together: without the barrier the first message of one would meet the
    // results of the one before.
    template <class Measure>
    void row(std::optional<double> key, int iterations, std::optional<bool> valid, Measure measure)
    {
        const std::vector<Sample> samples = repeat(measure);
        if (report_)
            report_->row(key, samples, iterations, valid);
    }

    template <class Measure>
    std::vector<Sample> repeat(Measure measure)
    {
        std::vector<Sample> samples;
        for (int repetition = 0; repetition < options_.repetitions; ++repetition) {
            job_.barrier();
            samples.push_back(measure());
        }
        return samples;
    }

    // The other ranks have no report, and print nothing.
    void open_report(Columns columns)
    {
        if (job_.rank() == 0)
            report_.emplace(options_, std::move(columns), B::library(), job_.size());
    }

    // Depends on size() alone, so that all ranks decide alike.
    void require(bool suitable, const char* remedy) const
    {
        if (!suitable)
            throw UnsuitableJob(
                fmt::format("{} needs {} (this job has {})", options_.benchmark, remedy, job_.size()));
    }

    void require_whole_floats() const
    {
        for (const std::size_t size : options_.size_list()) {
            if (size % sizeof(float) != 0)
                throw UnsuitableJob(
                    fmt::format("{} reduces floats, and {} bytes are no whole number of them: write for "
                                "example -m 4:1048576",
                                options_.benchmark, size));
        }
    }

    B& job_;
    const Options& options_;
    std::optional<Report> report_;
};

/// The exit status of this rank: 0, 1 when validation failed, 2 when the job does not suit the benchmark.
template <Backend B>
int run_suite(B& job, const Options& options)
{
    try {
        return Suite<B>(job, options).run() ? 0 : 1;
    } catch (const UnsuitableJob& error) {
        if (job.rank() == 0)
            fmt::print(stderr, "tutti-bench: {}\n", error.what());
        job.barrier();  // a rank that leaves with an error may end the job: not before it has been said
        return 2;
    }
}

}  // namespace tutti::bench
