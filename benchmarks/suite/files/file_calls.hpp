// What a file costs before a byte of it moves: open and close, and the change of a view.
#pragma once

#include <string_view>

#include "benchmarks/suite/files/shared_file.hpp"

namespace tutti::bench {

/// file_open, file_view.
template <Job B>
void file_calls(Session<B>& session)
{
    if constexpr (HasFiles<B>) {
        constexpr std::size_t kRankBytes = std::size_t{1} << 20;
        B& job = session.job();
        const bool opens = std::string_view(session.benchmark().name) == "file_open";
        const auto ranks = static_cast<std::size_t>(job.size());
        const SharedFile<B> shared_file(session, ranks * kRankBytes);
        session.open(opens ? Start::barrier : Start::free, {.notes = {folder_note(session)}});
        session.expect_rows(1);
        session.begin_row();
        const Series series = [&] {
            if (opens)
                return session.sampler().iterations(Over::slowest, Start::barrier,
                                                    [&] { auto file = job.open_file(shared_file.path()); });
            auto file = job.open_file(shared_file.path());
            auto view = B::File::view_of(
                part_of(FileLayout::grid2, kRankBytes, 4096, static_cast<std::size_t>(job.rank()), ranks));
            return session.sampler().iterations(Over::slowest, Start::free, [&] { file.set_view(view); });
        }();
        session.row({}, series, [](double us) { return us; });
    } else {
        throw NotOffered("it has no files");
    }
}

}  // namespace tutti::bench
