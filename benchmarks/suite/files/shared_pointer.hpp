// What a write at the pointer costs that all ranks share: records of a log, whoever comes first or in the
// order of ranks.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "benchmarks/suite/files/shared_file.hpp"
#include "benchmarks/suite/session/pattern.hpp"
#include "benchmarks/suite/session/validate.hpp"

namespace tutti::bench {

/// So many records of each rank, each of them a record of the file once: at any place, or in the order of
/// ranks. All ranks call it.
template <Job B, FileUnderTest F>
bool validate_records(B& job, F& file, const PlainFile& plain, bool ordered, std::size_t block_bytes)
{
    constexpr std::size_t kRecords = 10;
    const auto ranks = static_cast<std::size_t>(job.size());
    const auto salt = [](std::size_t rank, std::size_t number) { return 1 + rank * kRecords + number; };
    std::vector<std::byte> record(block_bytes);
    file.seek_shared();
    for (std::size_t i = 0; i < kRecords; ++i) {
        fill_pattern(record, salt(static_cast<std::size_t>(job.rank()), i));
        ordered ? file.write_ordered(record) : file.write_shared(record);
    }
    file.sync();
    job.barrier();
    std::vector<std::byte> all(kRecords * ranks * block_bytes);
    plain.read(all, std::size_t{0});
    std::vector<bool> found(kRecords * ranks);
    for (std::size_t place = 0; place < found.size(); ++place) {
        const std::span<const std::byte> there(all.data() + place * block_bytes, block_bytes);
        for (std::size_t number = 0; number < found.size(); ++number) {
            const std::size_t rank = number / kRecords;
            const std::size_t i = number % kRecords;
            if ((!ordered || place == i * ranks + rank) && wrong_bytes(there, salt(rank, i)) == 0)
                found[number] = true;
        }
    }
    return none_wrong(job, static_cast<std::size_t>(std::ranges::count(found, false)));
}

/// file_write_shared, file_write_ordered: a file of the same size is written again and again.
template <Job B>
void shared_pointer_writes(Session<B>& session)
{
    if constexpr (HasFiles<B>) {
        constexpr LoopCount kUsual{1000, 100};
        B& job = session.job();
        const bool ordered = std::string_view(session.benchmark().name) == "file_write_ordered";
        const std::vector<std::size_t> blocks = session.options().block_list();
        const LoopCount most = session.options().loop_count(kUsual);
        const auto calls = static_cast<std::size_t>(std::max(10, most.iterations + most.warmup));
        const SharedFile<B> shared_file(
            session, std::ranges::max(blocks) * calls * static_cast<std::size_t>(job.size()));
        session.open(Start::barrier, {.notes = {folder_note(session)}});
        session.expect_rows(blocks.size());
        const PlainFile plain(shared_file.path());
        auto file = job.open_file(shared_file.path());
        for (const std::size_t block_bytes : blocks) {
            session.begin_row(fmt::format("blocks of {}", block_bytes));
            std::vector<std::byte> record(block_bytes);
            const auto write = [&](int times) {
                for (int i = 0; i < times; ++i)
                    ordered ? file.write_ordered(record) : file.write_shared(record);
            };
            const std::optional<bool> valid =
                session.checked([&] { return validate_records(job, file, plain, ordered, block_bytes); });
            const Series series = session.sampler().rounds(Over::slowest, kUsual, [&](LoopCount loop) {
                file.seek_shared();
                write(loop.warmup);
                job.barrier();
                const double begin = now_us();
                write(loop.iterations);
                return (now_us() - begin) / loop.iterations;
            });
            session.row(
                static_cast<double>(block_bytes), series, [](double us) { return us; }, valid);
        }
    } else {
        throw NotOffered("it has no files");
    }
}

}  // namespace tutti::bench
