// How a file has the data: as memory ("native", "internal"), in the portable form ("external32"), or as
// functions of the program write it (MPI_Register_datarep).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/object/abi.hpp"
#include "lib/mpi/object/views.hpp"

namespace tutti::mpi {

struct Representation {
    std::string name;
    std::uint32_t number = 0;  // ranks compare it: 0, nothing is converted; 1, external32
    // The program's. No extents: the library's own.
    ConversionFunction reads{static_cast<MPI_Datarep_conversion_function*>(nullptr)};
    ConversionFunction writes{static_cast<MPI_Datarep_conversion_function*>(nullptr)};
    MPI_Datarep_extent_function* extent = nullptr;
    void* extra_state = nullptr;

    bool converts() const noexcept { return number != 0; }
};

const Representation& native_representation() noexcept;
/// The one with this name, which lives for ever. Throws Failure for an unknown name. Any thread.
const Representation& representation_of(const char* name);

/// The type as the file has it: numbers have their sizes there; displacements in bytes are the program's, and
/// stay.
datatype::TypemapRef type_in_file(const Construction::Inner& type, const Representation& representation);

/// Elements in memory whose bytes are others in the file.
class ConvertedData {
public:
    ConvertedData(const Representation& representation, void* buffer, MPI_Count count, const Datatype& type,
                  bool writes);

    /// The bytes for the file, or room for those that come from it.
    std::byte* data() const noexcept { return in_file_.get(); }
    std::size_t size_bytes() const noexcept { return size_bytes_; }
    /// `bytes` have been moved. Brings them to memory, if they were read, once; returns how many they are
    /// there. May call a function of the program's: not under the lock.
    std::size_t deliver(std::size_t bytes);

private:
    std::size_t read(std::size_t bytes);
    void convert(const ConversionFunction& function, std::size_t count) const;

    const Representation& representation_;
    std::byte* buffer_;
    std::size_t count_;
    Construction::Inner type_;
    bool writes_;
    std::size_t element_bytes_;  // in the file
    std::size_t size_bytes_;
    std::unique_ptr<std::byte[]> in_file_;
    std::optional<std::size_t> delivered_;
};

}  // namespace tutti::mpi
