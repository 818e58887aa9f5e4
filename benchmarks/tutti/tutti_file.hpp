// Tutti's files, as the loops ask for them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "benchmarks/suite/library/file_under_test.hpp"
#include "tutti/tutti.hpp"

namespace tutti::bench {

/// All ranks of the communicator open and close it.
class TuttiFile {
public:
    using View = Layout;

    TuttiFile(const Communicator& communicator, const std::string& path)
        : file_(communicator, path, FileMode::read | FileMode::write)
    {
    }

    static View view_of(const FilePart& part)
    {
        return Layout::subarray(part.sizes, part.counts, part.starts, 1);
    }
    void set_view(const View& view) { file_.set_view(0, view); }
    void write(ConstBytes data) { file_.write_at(0, data); }
    void read(Bytes data) { file_.read_at(0, data); }
    void write_all(ConstBytes data) { file_.write_at_all(0, data); }
    void read_all(Bytes data) { file_.read_at_all(0, data); }
    void sync() { file_.sync(); }
    void seek_shared() { file_.seek_shared(0); }
    void write_shared(ConstBytes data) { file_.append_shared(data); }
    void write_ordered(ConstBytes data) { file_.append_ordered(data); }

private:
    tutti::File file_;
};

static_assert(FileUnderTest<TuttiFile>);

}  // namespace tutti::bench
