// How fast all ranks write or read one file, each its own part, beside what the system's calls do.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "benchmarks/suite/files/shared_file.hpp"
#include "benchmarks/suite/session/pattern.hpp"
#include "benchmarks/suite/session/validate.hpp"

namespace tutti::bench {

struct FileAccesses {
    bool writes;
    bool together;  // collective
    bool synced;    // written to the disk, as part of the time

    static FileAccesses of(std::string_view benchmark)
    {
        return {benchmark.starts_with("file_write"), benchmark.find("_all") != std::string_view::npos,
                benchmark.ends_with("_sync")};
    }
};

/// The rows of one benchmark, over one open file.
template <Backend B>
class FileAccessLoop {
public:
    FileAccessLoop(Session<B>& session, const std::string& path)
        : session_(session),
          job_(session.job()),
          what_(FileAccesses::of(session.benchmark().name)),
          data_(session.options().file_bytes, 'a'),
          plain_(path),
          file_(path)
    {
    }

    /// By the system's calls, each rank one for its own contiguous part: what the file system can do.
    void plain_row()
    {
        const FilePart part = part_of_rank(FileLayout::contiguous, all_bytes(), job_.rank());
        const Bytes data = data_.bytes(all_bytes());
        timed("plain", data.size(), data.size(), {}, [&] {
            what_.writes ? plain_.write(data, part) : plain_.read(data, part);
            if (what_.synced)
                plain_.sync();
        });
    }

    void row(FileLayout layout, std::size_t block_bytes)
    {
        const std::size_t rank_bytes = all_bytes() / block_bytes * block_bytes;
        const Bytes data = data_.bytes(rank_bytes);
        auto view = B::File::view_of(part_of_rank(layout, block_bytes, job_.rank(), rank_bytes));
        file_.set_view(view);
        const std::optional<bool> valid = session_.checked([&] { return check(layout, block_bytes, data); });
        timed(to_string(layout), block_bytes, rank_bytes, valid, [&] { access(data); });
    }

private:
    std::size_t all_bytes() const { return session_.options().file_bytes; }
    FilePart part_of_rank(FileLayout layout, std::size_t block_bytes, int rank, std::size_t rank_bytes) const
    {
        return part_of(layout, rank_bytes, block_bytes, static_cast<std::size_t>(rank),
                       static_cast<std::size_t>(job_.size()));
    }
    FilePart part_of_rank(FileLayout layout, std::size_t rank_bytes, int rank) const
    {
        return part_of_rank(layout, rank_bytes, rank, rank_bytes);
    }

    void access(Bytes data)
    {
        if (what_.together)
            what_.writes ? file_.write_all(data) : file_.read_all(data);
        else
            what_.writes ? file_.write(data) : file_.read(data);
        if (what_.synced)
            file_.sync();
    }

    // What one rank writes another reads by the system's calls, or the other way round.
    bool check(FileLayout layout, std::size_t block_bytes, Bytes data)
    {
        const int other = (job_.rank() + 1) % job_.size();
        const auto salt = [](int rank) { return 31 + static_cast<std::size_t>(rank); };
        const FilePart others = part_of_rank(layout, block_bytes, other, data.size());
        if (what_.writes) {
            fill_pattern(data, salt(job_.rank()));
            access(data);
            file_.sync();
            job_.barrier();
            std::ranges::fill(data, std::byte{'?'});
            plain_.read(data, others);
            return none_wrong(job_, wrong_bytes(data, salt(other)));
        }
        fill_pattern(data, salt(other));
        plain_.write(data, others);
        std::ranges::fill(data, std::byte{'?'});
        job_.barrier();
        file_.sync();
        access(data);
        return none_wrong(job_, wrong_bytes(data, salt(job_.rank())));
    }

    template <class Step>
    void timed(const char* label, std::size_t key, std::size_t rank_bytes, std::optional<bool> valid,
               Step step)
    {
        session_.begin_row(fmt::format("{}, blocks of {}", label, key));
        double used_us = 0.0;
        double steps = 0.0;
        const Series series = session_.sampler().iterations(Over::slowest, Start::barrier, [&] {
            const double begin = cpu_us();
            step();
            used_us += cpu_us() - begin;
            steps += 1.0;
        });
        const double own_us = used_us / steps;
        const std::vector<double> all = gathered(job_, std::span<const double>(&own_us, 1));
        if (!session_.is_root())
            return;
        const double bytes = static_cast<double>(rank_bytes) * job_.size();
        Row row = row_of(static_cast<double>(key), series, [&](double us) { return bytes / us; });
        row.valid = valid;
        row.labels = {label};
        row.parts = {std::accumulate(all.begin(), all.end(), 0.0) / 1000.0};
        if (!plain_rate_)
            plain_rate_ = row.summary.median;
        row.reference = plain_rate_;
        session_.row(row);
    }

    Session<B>& session_;
    B& job_;
    const FileAccesses what_;
    PageBuffer data_;
    PlainFile plain_;
    typename B::File file_;
    std::optional<double> plain_rate_;
};

/// file_write and the like: a row of the system's calls, one of contiguous parts, and the other layouts in
/// blocks of each size.
template <Backend B>
void file_accesses(Session<B>& session)
{
    if constexpr (HasFiles<B>) {
        const std::vector<std::size_t> blocks = session.options().block_list();
        const std::size_t rank_bytes = session.options().file_bytes;
        if (const std::size_t largest = std::ranges::max(blocks); largest > rank_bytes)
            throw UnsuitableJob(
                fmt::format("a rank's {} bytes have no block of {}: raise --file-size", rank_bytes, largest));
        require_memory(session.job(), session.placement(), static_cast<double>(rank_bytes));
        const SharedFile<B> shared_file(session, rank_bytes * static_cast<std::size_t>(session.job().size()));
        session.open(Start::barrier, {.labels = {"Layout"},
                                      .parts = {{"CPU(ms)"}},
                                      .ratio = "Of plain",
                                      .notes = {folder_note(session),
                                                fmt::format("{} bytes of each rank; CPU: of all ranks, for "
                                                            "one access of all; plain: the system's calls",
                                                            rank_bytes)}});
        session.expect_rows(2 + 3 * blocks.size());
        FileAccessLoop<B> loop(session, shared_file.path());
        loop.plain_row();
        loop.row(FileLayout::contiguous, rank_bytes);
        for (const FileLayout layout : {FileLayout::blocks, FileLayout::grid2, FileLayout::grid3})
            for (const std::size_t block_bytes : blocks)
                loop.row(layout, block_bytes);
    } else {
        throw NotOffered("it has no files");
    }
}

}  // namespace tutti::bench
