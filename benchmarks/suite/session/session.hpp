// One benchmark in one job: the common part of all loops, from checking the job to the row of a size.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/environment/measured_machine.hpp"
#include "benchmarks/progress/progress.hpp"
#include "benchmarks/suite/command_line/suite_options.hpp"
#include "benchmarks/suite/library/memory_need.hpp"
#include "benchmarks/suite/library/neighborhood.hpp"
#include "benchmarks/suite/library/page_buffers.hpp"
#include "benchmarks/suite/measure/sampler.hpp"
#include "benchmarks/suite/output/row_report.hpp"
#include "lib/foundation/reduction/types.hpp"

namespace tutti::bench {

template <Job B>
class Session {
public:
    /// All ranks make one. Throws UnsuitableJob before anything is measured.
    Session(B& job, const SuiteOptions& options)
        : job_(job),
          options_(options),
          benchmark_(*options.entry),
          placement_(placement_of(job)),
          sampler_(job, options.budget)
    {
        if (job.size() < benchmark_.min_ranks ||
            (benchmark_.max_ranks > 0 && job.size() > benchmark_.max_ranks))
            throw UnsuitableJob(fmt::format(
                "{} needs {} (this job has {})", benchmark_.name,
                benchmark_.min_ranks == benchmark_.max_ranks
                    ? fmt::format("exactly {0} ranks: start it with -n {0}", benchmark_.min_ranks)
                    : fmt::format("{0} ranks or more: start it with -n {0}", benchmark_.min_ranks),
                job.size()));
        if (options.root >= job.size())
            throw UnsuitableJob(fmt::format("-k: there is no rank {} in a job of {}: the last is {}",
                                            options.root, job.size(), job.size() - 1));
        if (has_elements(benchmark_))
            require_whole_elements();
        if (benchmark_.collective) {
            if (is_neighbourly(*benchmark_.collective))
                neighborhood_ = neighborhood_of(job, options.neighborhood.value_or(NeighborhoodChoice{}));
        }
    }

    B& job() const noexcept { return job_; }
    const SuiteOptions& options() const noexcept { return options_; }
    const Benchmark& benchmark() const noexcept { return benchmark_; }
    std::string name() const { return benchmark_.name; }
    const JobPlacement& placement() const noexcept { return placement_; }
    /// The graph of neighbourhood collectives; empty for all others.
    const Neighborhood& neighborhood() const noexcept { return neighborhood_; }
    Sampler<B>& sampler() noexcept { return sampler_; }
    bool is_root() const { return job_.rank() == 0; }

    /// How iterations of a collective begin here: as the command line says, or as the placement of ranks
    /// allows.
    Start start() const
    {
        if (options_.start == "barrier" || !Exchanging<B>)
            return Start::barrier;
        return options_.start == "clock" || placement_.core_each ? Start::clock : Start::barrier;
    }

    /// What completes one-sided operations: as the command line says, or as OSU's benchmark does.
    Synchronization synchronization() const
    {
        return options_.synchronization.value_or(name() == "put_bibw" ? Synchronization::pscw
                                                                      : Synchronization::flush);
    }

    /// Prints the header at rank 0; the other ranks have no report. `more` holds labels and parts, or a
    /// title, if the benchmark has them.
    void open(Start start, Heading more = {})
    {
        more.library = B::library();
        more.placement = placement_;
        more.start = to_string(start);
        more.taken_off_ns = sampler_.taken_off_ns(start);
        more.left_over_ns = sampler_.left_over_ns(start);
        if (has_window(benchmark_)) {
            more.notes.push_back(fmt::format(
                "Window creation: {}", kWindowKinds[static_cast<std::size_t>(options_.window_kind)].calls));
            more.notes.push_back(fmt::format(
                "Synchronization: {}", kSynchronizations[static_cast<std::size_t>(synchronization())].calls));
        }
        if (has_memory(benchmark_))
            more.notes.push_back(fmt::format(
                "Buffers of {}, {} between iterations; load of the machine before: {}",
                from_library() ? "the library's allocator" : "malloc",
                options_.touch ? "written and read by their ranks" : "which nobody touches", load_text()));
        if (options_.neighborhood)
            more.notes.push_back(description_of(*options_.neighborhood, neighborhood_));
        if (is_root())
            report_.emplace(options_, benchmark_, std::move(more));
    }

    /// The expected number of rows, for the progress line.
    void expect_rows(std::size_t rows)
    {
        if (is_root())
            progress_.emplace(static_cast<int>(rows));
    }
    /// Begins the next row; `what` identifies it.
    void begin_row(const std::string& what = {})
    {
        if (progress_)
            progress_->next(what.empty() ? name() : fmt::format("{}, {}", name(), what));
    }

    /// `value` turns microseconds into the benchmark's unit.
    template <class Value>
    void row(std::optional<double> key, const Series& series, Value value, std::optional<bool> valid = {})
    {
        if (!report_)
            return;
        Row one = row_of(key, series, value);
        one.valid = valid;
        row(one);
    }
    void row(const Row& row)
    {
        if (progress_)
            progress_->erase();
        if (report_)
            report_->row(row);
    }

    /// Whether buffers come from the library's allocator: the command line asks for it, and the library has
    /// one.
    bool from_library() const
    {
        return options_.memory == "library" && requires
        {
            B::memory();
        };
    }
    Memory memory() const
    {
        if constexpr (requires { B::memory(); }) {
            if (from_library())
                return B::memory();
        }
        return kOrdinaryMemory;
    }

    /// All ranks call it before they make so many Buffers for `largest_bytes`. Throws UnsuitableJob if there
    /// is not enough memory.
    void require_buffers(int count, double largest_bytes)
    {
        require_memory(job_, placement_, 2.0 * count * largest_bytes);
    }

    /// For each size: `measure(buffers, size_bytes)`, with buffers that have room for `blocks` of the
    /// largest, each of whole units. It makes `rows_each` rows, of which all but the first are begun by
    /// itself.
    template <class Measure>
    void each_size(std::size_t blocks, Measure measure, std::size_t rows_each = 1, std::size_t unit_bytes = 1)
    {
        const std::vector<std::size_t> list = sizes_within_limit(blocks);
        const std::size_t units = list.empty() ? 0 : (list.back() + unit_bytes - 1) / unit_bytes;
        require_buffers(
            1, static_cast<double>(blocks) * static_cast<double>(units) * static_cast<double>(unit_bytes));
        Buffers buffers(blocks * units * unit_bytes, memory());
        expect_rows(list.size() * rows_each);
        for (const std::size_t size_bytes : list) {
            begin_row(fmt::format("size {}", size_bytes));
            measure(buffers, size_bytes);
        }
    }

    /// For each size: `measure(out, in, size_bytes)`, where windows of up to so many messages lie: in one
    /// place, or apart as the command line asks.
    template <class Measure>
    void each_window_size(int messages, Measure measure)
    {
        const bool apart = options_.buffer_each;
        const std::size_t places = apart ? static_cast<std::size_t>(messages) : 1;
        each_size(
            places,
            [&](Buffers& buffers, std::size_t size_bytes) {
                if (apart)
                    measure(MessagePlaces(buffers.out, size_bytes, places),
                            MessagePlaces(buffers.in, size_bytes, places), size_bytes);
                else
                    measure(MessagePlaces(buffers.out.bytes(size_bytes)),
                            MessagePlaces(buffers.in.bytes(size_bytes)), size_bytes);
            },
            1, apart ? kPageBytes : 1);
    }

    /// The result of `check`, if the command line asks for it.
    template <class Check>
    std::optional<bool> checked(Check check)
    {
        return options_.validate ? std::optional<bool>(check()) : std::nullopt;
    }

    /// Writes the files. False when a checked row was wrong (known to rank 0 only).
    bool finish()
    {
        progress_.reset();
        if (report_)
            report_->finish();
        return !report_ || !report_->failed();
    }

private:
    // Sizes are in bytes, whatever the elements.
    void require_whole_elements() const
    {
        const DataType type = options_.element();
        for (const std::size_t size_bytes : options_.size_list()) {
            if (size_bytes % tutti::size_bytes(type) != 0)
                throw UnsuitableJob(
                    fmt::format("{} moves elements of {} bytes ({}), and {} bytes are no whole "
                                "number of them: write for example -m {}:1048576",
                                benchmark_.name, tutti::size_bytes(type), reduction::to_string(type),
                                size_bytes, tutti::size_bytes(type)));
        }
    }

    // Collectives have a limit anyway, as in OSU's benchmarks. The sizes left out are reported.
    std::vector<std::size_t> sizes_within_limit(std::size_t blocks) const
    {
        constexpr std::size_t kUsualLimitBytes = std::size_t{512} << 20;
        std::vector<std::size_t> list = options_.size_list();
        if (!options_.memory_limit && !benchmark_.collective)
            return list;
        const std::size_t most = options_.memory_limit.value_or(kUsualLimitBytes) / blocks;
        const std::size_t left_out = std::erase_if(list, [most](std::size_t size) { return size > most; });
        if (left_out > 0 && is_root())
            fmt::print(stderr, "# Sizes above {} are left out: raise -M to measure them\n", most);
        return list;
    }

    B& job_;
    const SuiteOptions& options_;
    const Benchmark& benchmark_;
    JobPlacement placement_;
    Neighborhood neighborhood_;
    Sampler<B> sampler_;
    std::optional<RowReport> report_;
    std::optional<ProgressLine> progress_;
};

}  // namespace tutti::bench
