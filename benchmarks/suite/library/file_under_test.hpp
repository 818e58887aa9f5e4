// What a benchmark may ask of a file that all ranks open, where the library under test has files.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

#include "benchmarks/suite/library/job_under_test.hpp"

namespace tutti::bench {

/// The part of a file that one rank sees: a block of an array of bytes, the last dimension running fastest.
/// The file is that array again and again, and the rank sees the block of each.
struct FilePart {
    std::vector<std::size_t> sizes;   // of the array, by dimension
    std::vector<std::size_t> counts;  // of the block
    std::vector<std::size_t> starts;  // where the block begins
};

/// A file that all ranks have open, and close with its end. Views begin at its first byte, accesses at that
/// of the view, and they move all that the span has. All is collective, but write(), read() and
/// write_shared().
template <class F>
concept FileUnderTest = requires(F& file, typename F::View& view, const FilePart& part, Bytes in,
                                 ConstBytes out)
{
    {
        F::view_of(part)
        } -> std::same_as<typename F::View>;
    file.set_view(view);
    file.write(out);
    file.read(in);
    file.write_all(out);
    file.read_all(in);
    file.sync();
    file.seek_shared();  // to the view's first byte
    file.write_shared(out);
    file.write_ordered(out);
};

/// Whether the library under test has files.
template <class B>
concept HasFiles = FileUnderTest<typename B::File> && requires(B& job, const std::string& path)
{
    {
        job.open_file(path)
        } -> std::same_as<typename B::File>;
};

}  // namespace tutti::bench
