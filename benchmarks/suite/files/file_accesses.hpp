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

/// One access of all that the rank sees of the file.
template <FileUnderTest F>
void access_file(F& file, const FileAccesses& what, Bytes data)
{
    if (what.together)
        what.writes ? file.write_all(data) : file.read_all(data);
    else
        what.writes ? file.write(data) : file.read(data);
    if (what.synced)
        file.sync();
}

/// Whether the library moves each byte to its place: what this rank writes, another reads by the system's
/// calls, or the other way round. `plain` is the same file, `others` that rank's part.
template <Job B, FileUnderTest F>
bool validate_access(B& job, F& file, const PlainFile& plain, const FileAccesses& what,
                     const FilePart& others, Bytes data)
{
    const std::size_t own_salt = 31 + static_cast<std::size_t>(job.rank());
    const std::size_t others_salt = 31 + static_cast<std::size_t>((job.rank() + 1) % job.size());
    fill_pattern(data, what.writes ? own_salt : others_salt);
    what.writes ? access_file(file, what, data) : plain.write(data, others);
    file.sync();
    job.barrier();
    file.sync();
    std::ranges::fill(data, std::byte{'?'});
    what.writes ? plain.read(data, others) : access_file(file, what, data);
    return none_wrong(job, wrong_bytes(data, what.writes ? others_salt : own_salt));
}

/// The rows of one benchmark, over one open file.
template <Job B>
class FileAccessLoop {
public:
    FileAccessLoop(Session<B>& session, const std::string& path)
        : session_(session),
          job_(session.job()),
          what_(FileAccesses::of(session.benchmark().name)),
          data_(session.options().file_bytes, 'a'),
          plain_(path),
          file_(job_.open_file(path))
    {
    }

    /// By the system's calls, each rank one for its own contiguous part: what the file system can do.
    void plain_row()
    {
        const FilePart part = part_of_rank(FileLayout::contiguous, all_bytes(), all_bytes(), job_.rank());
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
        auto view = B::File::view_of(part_of_rank(layout, block_bytes, rank_bytes, job_.rank()));
        file_.set_view(view);
        const std::optional<bool> valid = session_.checked([&] {
            const int other = (job_.rank() + 1) % job_.size();
            return validate_access(job_, file_, plain_, what_,
                                   part_of_rank(layout, block_bytes, rank_bytes, other), data);
        });
        timed(to_string(layout), block_bytes, rank_bytes, valid, [&] { access_file(file_, what_, data); });
    }

private:
    std::size_t all_bytes() const { return session_.options().file_bytes; }
    FilePart part_of_rank(FileLayout layout, std::size_t block_bytes, std::size_t rank_bytes, int rank) const
    {
        return part_of(layout, rank_bytes, block_bytes, static_cast<std::size_t>(rank),
                       static_cast<std::size_t>(job_.size()));
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
template <Job B>
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
