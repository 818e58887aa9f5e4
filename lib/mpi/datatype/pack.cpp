// Pack and unpack: into the bytes that a message would have, and into the portable form.
#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "lib/foundation/datatype/external.hpp"
#include "lib/foundation/datatype/transfer.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/packed_copy.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

// The packed bytes from a position on: `needed` of `whole`. Fails if they are not there.
std::size_t packed_place(const void* packed, MPI_Count whole, MPI_Count position, std::size_t needed)
{
    check_not_negative("the size of the packed buffer", whole);
    if (position < 0 || position > whole)
        fail(MPI_ERR_ARG,
             fmt::format("the position is {}, but the packed buffer has {} bytes", position, whole));
    const auto left = static_cast<std::size_t>(whole - position);
    if (needed > left)
        fail(MPI_ERR_TRUNCATE,
             fmt::format("{} bytes are needed from position {} on, but the packed buffer has {} "
                         "there; see MPI_Pack_size",
                         needed, position, left));
    if (needed != 0 && packed == nullptr)
        fail(MPI_ERR_BUFFER, "the packed buffer is a null pointer");
    return static_cast<std::size_t>(position);
}

void check_representation(const char* datarep)
{
    check_not_null(datarep, "datarep");
    if (std::string_view(datarep) != "external32")
        fail(MPI_ERR_UNSUPPORTED_DATAREP,
             fmt::format("the data representation is \"{}\"; it must be \"external32\"", datarep));
}

}  // namespace

int pack(const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf, MPI_Count outsize,
         CountPlace position, MPI_Comm comm)
{
    return guard("MPI_Pack", comm, [&] {
        state_of(comm);
        check_not_null(position, "position");
        const detail::ConstView view = const_view_of(inbuf, incount, datatype);
        const std::size_t place = packed_place(outbuf, outsize, position.get(), view.size_bytes);
        pack_into(static_cast<std::byte*>(outbuf) + place, view);
        position.set(static_cast<MPI_Count>(place + view.size_bytes));
    });
}

int unpack(const void* inbuf, MPI_Count insize, CountPlace position, void* outbuf, MPI_Count outcount,
           MPI_Datatype datatype, MPI_Comm comm)
{
    return guard("MPI_Unpack", comm, [&] {
        state_of(comm);
        check_not_null(position, "position");
        const detail::View view = view_of(outbuf, outcount, datatype);
        const std::size_t place = packed_place(inbuf, insize, position.get(), view.size_bytes);
        const std::byte* const in = static_cast<const std::byte*>(inbuf) + place;
        if (view.layout != nullptr)
            datatype::unpack(*view.layout, static_cast<std::size_t>(outcount), view.data, 0,
                             {in, view.size_bytes});
        else if (view.size_bytes != 0)
            std::memcpy(view.data, in, view.size_bytes);
        position.set(static_cast<MPI_Count>(place + view.size_bytes));
    });
}

int pack_size(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, CountPlace size)
{
    return guard("MPI_Pack_size", comm, [&] {
        state_of(comm);
        check_not_null(size, "size");
        size.set(static_cast<MPI_Count>(checked_bytes(incount, datatype_of(datatype).map->size_bytes())));
    });
}

int pack_external(const char* datarep, const void* inbuf, MPI_Count incount, MPI_Datatype datatype,
                  void* outbuf, MPI_Count outsize, MPI_Count* position)
{
    return guard("MPI_Pack_external", [&] {
        check_representation(datarep);
        check_not_null(position, "position");
        const_view_of(inbuf, incount, datatype);  // checks them
        const datatype::Typemap& map = *datatype_of(datatype).map;
        const auto count = static_cast<std::size_t>(incount);
        const std::size_t bytes = datatype::external_bytes(map, count);
        const std::size_t place = packed_place(outbuf, outsize, *position, bytes);
        datatype::pack_external(map, count, static_cast<const std::byte*>(inbuf),
                                {static_cast<std::byte*>(outbuf) + place, bytes});
        *position = static_cast<MPI_Count>(place + bytes);
    });
}

int unpack_external(const char* datarep, const void* inbuf, MPI_Count insize, MPI_Count* position,
                    void* outbuf, MPI_Count outcount, MPI_Datatype datatype)
{
    return guard("MPI_Unpack_external", [&] {
        check_representation(datarep);
        check_not_null(position, "position");
        view_of(outbuf, outcount, datatype);  // checks them
        const datatype::Typemap& map = *datatype_of(datatype).map;
        const auto count = static_cast<std::size_t>(outcount);
        const std::size_t bytes = datatype::external_bytes(map, count);
        const std::size_t place = packed_place(inbuf, insize, *position, bytes);
        datatype::unpack_external(map, count, static_cast<std::byte*>(outbuf),
                                  {static_cast<const std::byte*>(inbuf) + place, bytes});
        *position = static_cast<MPI_Count>(place + bytes);
    });
}

int pack_external_size(const char* datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count* size)
{
    return guard("MPI_Pack_external_size", [&] {
        check_representation(datarep);
        check_not_null(size, "size");
        *size = static_cast<MPI_Count>(
            checked_bytes(incount, datatype_of(datatype).map->signature().external_bytes));
    });
}

}  // namespace tutti::mpi
