// MPI's files, as the loops ask for them.
#pragma once

#include <mpi.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/mpi/mpi_collective.hpp"
#include "benchmarks/suite/library/file_under_test.hpp"
#include "benchmarks/suite/library/job_under_test.hpp"

namespace tutti::bench {

/// Owns the filetype of a view.
class MpiFileView {
public:
    explicit MpiFileView(const FilePart& part)
    {
        std::vector<int> sizes, counts, starts;
        for (std::size_t i = 0; i < part.sizes.size(); ++i) {
            sizes.push_back(mpi_count(part.sizes[i]));
            counts.push_back(mpi_count(part.counts[i]));
            starts.push_back(mpi_count(part.starts[i]));
        }
        MPI_Type_create_subarray(mpi_count(sizes.size()), sizes.data(), counts.data(), starts.data(),
                                 MPI_ORDER_C, MPI_BYTE, &type);
        MPI_Type_commit(&type);
    }
    MpiFileView(MpiFileView&& other) noexcept : type(std::exchange(other.type, MPI_DATATYPE_NULL)) {}
    MpiFileView& operator=(MpiFileView&&) = delete;
    ~MpiFileView()
    {
        if (type != MPI_DATATYPE_NULL)
            MPI_Type_free(&type);
    }

    MPI_Datatype type = MPI_DATATYPE_NULL;
};

/// All ranks open and close it. Throws std::runtime_error in the library's words.
class MpiFile {
public:
    using View = MpiFileView;

    explicit MpiFile(const std::string& path)
    {
        check(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file_));
    }
    MpiFile(MpiFile&&) = delete;
    ~MpiFile() { MPI_File_close(&file_); }

    static View view_of(const FilePart& part) { return View(part); }
    // Open MPI takes the name of a representation as char*.
    void set_view(View& view)
    {
        check(MPI_File_set_view(file_, 0, MPI_BYTE, view.type, const_cast<char*>("native"), MPI_INFO_NULL));
    }
    void write(ConstBytes data)
    {
        check(MPI_File_write_at(file_, 0, data.data(), mpi_count(data.size()), MPI_BYTE, MPI_STATUS_IGNORE));
    }
    void read(Bytes data)
    {
        check(MPI_File_read_at(file_, 0, data.data(), mpi_count(data.size()), MPI_BYTE, MPI_STATUS_IGNORE));
    }
    void write_all(ConstBytes data)
    {
        check(MPI_File_write_at_all(file_, 0, data.data(), mpi_count(data.size()), MPI_BYTE,
                                    MPI_STATUS_IGNORE));
    }
    void read_all(Bytes data)
    {
        check(
            MPI_File_read_at_all(file_, 0, data.data(), mpi_count(data.size()), MPI_BYTE, MPI_STATUS_IGNORE));
    }
    void sync() { check(MPI_File_sync(file_)); }
    void seek_shared() { check(MPI_File_seek_shared(file_, 0, MPI_SEEK_SET)); }
    void write_shared(ConstBytes data)
    {
        check(MPI_File_write_shared(file_, data.data(), mpi_count(data.size()), MPI_BYTE, MPI_STATUS_IGNORE));
    }
    void write_ordered(ConstBytes data)
    {
        check(
            MPI_File_write_ordered(file_, data.data(), mpi_count(data.size()), MPI_BYTE, MPI_STATUS_IGNORE));
    }

private:
    static void check(int status)
    {
        if (status == MPI_SUCCESS)
            return;
        char text[MPI_MAX_ERROR_STRING] = {};
        int length = 0;
        MPI_Error_string(status, text, &length);
        throw std::runtime_error(text);
    }

    MPI_File file_ = MPI_FILE_NULL;
};

static_assert(FileUnderTest<MpiFile>);

}  // namespace tutti::bench
