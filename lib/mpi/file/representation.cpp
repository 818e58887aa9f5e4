#include "lib/mpi/file/representation.hpp"

#include <fmt/format.h>

#include <climits>
#include <deque>
#include <mutex>
#include <string_view>

#include "lib/foundation/datatype/external.hpp"
#include "lib/foundation/datatype/transfer.hpp"
#include "lib/mpi/object/callbacks.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

// Never destroyed: files may be open after main.
struct Representations {
    std::mutex mutex;
    std::deque<Representation> all{
        {.name = "native"}, {.name = "external32", .number = 1}, {.name = "internal"}};

    const Representation* find(std::string_view name) const
    {
        for (const Representation& each : all)
            if (each.name == name)
                return &each;
        return nullptr;
    }
};

Representations& representations()
{
    static Representations& one = *new Representations;
    return one;
}

bool is_given(const ConversionFunction& function) noexcept
{
    return function.small != nullptr || function.large != nullptr;
}

}  // namespace

const Representation& native_representation() noexcept
{
    return representations().all.front();
}

const Representation& representation_of(const char* name)
{
    check_not_null(name, "datarep");
    Representations& known = representations();
    const std::lock_guard lock(known.mutex);
    const Representation* const found = known.find(name);
    if (found == nullptr)
        fail(MPI_ERR_UNSUPPORTED_DATAREP, fmt::format("there is no data representation \"{}\"; take native, "
                                                      "internal or external32, or register one "
                                                      "with MPI_Register_datarep",
                                                      name));
    return *found;
}

int register_datarep(const char* datarep, ConversionFunction read_conversion_fn,
                     ConversionFunction write_conversion_fn,
                     MPI_Datarep_extent_function* dtype_file_extent_fn, void* extra_state)
{
    return guard("MPI_Register_datarep", MPI_FILE_NULL, [&] {
        check_not_null(datarep, "datarep");
        check_not_null(reinterpret_cast<const void*>(dtype_file_extent_fn), "dtype_file_extent_fn");
        const std::string_view name = datarep;
        if (name.empty() || name.size() >= MPI_MAX_DATAREP_STRING)
            fail(MPI_ERR_ARG,
                 fmt::format("the name of a data representation has 1 to {} characters; this one has {}",
                             MPI_MAX_DATAREP_STRING - 1, name.size()));
        Representations& known = representations();
        const std::lock_guard lock(known.mutex);
        if (known.find(name) != nullptr)
            fail(MPI_ERR_DUP_DATAREP,
                 fmt::format("there is a data representation \"{}\" already; choose another name", name));
        known.all.push_back({.name = std::string(name),
                             .number = static_cast<std::uint32_t>(known.all.size()),
                             .reads = read_conversion_fn,
                             .writes = write_conversion_fn,
                             .extent = dtype_file_extent_fn,
                             .extra_state = extra_state});
    });
}

ConvertedData::ConvertedData(const Representation& representation, void* buffer, MPI_Count count,
                             const Datatype& type, bool writes)
    : representation_(representation),
      buffer_(static_cast<std::byte*>(buffer)),
      count_(static_cast<std::size_t>(count)),
      type_(inner_of(type)),
      writes_(writes),
      element_bytes_(representation.extent == nullptr ? type.map->signature().external_bytes
                                                      : type_in_file(type_, representation)->size_bytes()),
      size_bytes_(checked_bytes(count, element_bytes_)),
      in_file_(std::make_unique_for_overwrite<std::byte[]>(size_bytes_))
{
    const ConversionFunction& function = writes ? representation.writes : representation.reads;
    if (representation.extent != nullptr && !is_given(function) && element_bytes_ != type.map->size_bytes())
        fail(MPI_ERR_CONVERSION,
             fmt::format(
                 "the data representation \"{}\" converts nothing here, but its extents make {} bytes of the "
                 "datatype's {}; both must be equal, or give a function",
                 representation.name, element_bytes_, type.map->size_bytes()));
    if (!writes)
        return;
    if (representation.extent == nullptr)
        datatype::pack_external(*type_.map, count_, buffer_, {in_file_.get(), size_bytes_});
    else if (is_given(function))
        convert(function, count_);
    else
        datatype::pack(*type_.map, count_, buffer_, 0, {in_file_.get(), size_bytes_});
}

std::size_t ConvertedData::deliver(std::size_t bytes)
{
    if (!delivered_)
        delivered_ = writes_ ? bytes / std::max<std::size_t>(element_bytes_, 1) * type_.map->size_bytes()
                             : read(bytes);
    return *delivered_;
}

std::size_t ConvertedData::read(std::size_t bytes)
{
    if (representation_.extent == nullptr)
        return datatype::unpack_external(*type_.map, count_, buffer_, {in_file_.get(), bytes});
    if (!is_given(representation_.reads)) {
        datatype::unpack(*type_.map, count_, buffer_, 0, {in_file_.get(), bytes});
        return bytes;
    }
    const std::size_t whole = bytes / std::max<std::size_t>(element_bytes_, 1);
    convert(representation_.reads, whole);
    return whole * type_.map->size_bytes();
}

void ConvertedData::convert(const ConversionFunction& function, std::size_t count) const
{
    if (count == 0)
        return;
    if (function.large == nullptr && count > INT_MAX)
        fail(MPI_ERR_COUNT,
             fmt::format("the function that converts data takes up to {} elements, and these are {}; "
                         "register it with MPI_Register_datarep_c",
                         INT_MAX, count));
    MPI_Datatype handle = handle_of(type_);
    const int code = call_conversion(function, buffer_, handle, static_cast<MPI_Count>(count), in_file_.get(),
                                     0, representation_.extra_state);
    if (type_.permanent == MPI_DATATYPE_NULL)
        datatype_of(handle).free_handle();
    if (code != MPI_SUCCESS)
        fail(MPI_ERR_CONVERSION,
             fmt::format("the function that converts data of representation \"{}\" has returned "
                         "error {}: {}",
                         representation_.name, code, words_of(code)));
}

}  // namespace tutti::mpi
