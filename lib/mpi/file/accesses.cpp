// The accesses of files: by offset, by the rank's pointer and by the shared one; each rank alone, or all
// together.
#include "lib/mpi/file/access_call.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using Place = detail::FileAccess::Place;

}  // namespace

int file_read_at(const AccessCall& call, MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count,
                 MPI_Datatype datatype)
{
    return call.on(fh, {.offset = offset}, {buf, count, datatype});
}

int file_read_at_all(const AccessCall& call, MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count,
                     MPI_Datatype datatype)
{
    return call.on(fh, {.together = true, .offset = offset}, {buf, count, datatype});
}

int file_write_at(const AccessCall& call, MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count,
                  MPI_Datatype datatype)
{
    return call.on(fh, {.writes = true, .offset = offset}, {buf, count, datatype});
}

int file_write_at_all(const AccessCall& call, MPI_File fh, MPI_Offset offset, const void* buf,
                      MPI_Count count, MPI_Datatype datatype)
{
    return call.on(fh, {.writes = true, .together = true, .offset = offset}, {buf, count, datatype});
}

int file_read(const AccessCall& call, MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype)
{
    return call.on(fh, {.place = Place::own}, {buf, count, datatype});
}

int file_read_all(const AccessCall& call, MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype)
{
    return call.on(fh, {.together = true, .place = Place::own}, {buf, count, datatype});
}

int file_write(const AccessCall& call, MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype)
{
    return call.on(fh, {.writes = true, .place = Place::own}, {buf, count, datatype});
}

int file_write_all(const AccessCall& call, MPI_File fh, const void* buf, MPI_Count count,
                   MPI_Datatype datatype)
{
    return call.on(fh, {.writes = true, .together = true, .place = Place::own}, {buf, count, datatype});
}

int file_read_shared(const AccessCall& call, MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype)
{
    return call.on(fh, {.place = Place::shared}, {buf, count, datatype});
}

int file_read_ordered(const AccessCall& call, MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype)
{
    return call.on(fh, {.together = true, .place = Place::shared}, {buf, count, datatype});
}

int file_write_shared(const AccessCall& call, MPI_File fh, const void* buf, MPI_Count count,
                      MPI_Datatype datatype)
{
    return call.on(fh, {.writes = true, .place = Place::shared}, {buf, count, datatype});
}

int file_write_ordered(const AccessCall& call, MPI_File fh, const void* buf, MPI_Count count,
                       MPI_Datatype datatype)
{
    return call.on(fh, {.writes = true, .together = true, .place = Place::shared}, {buf, count, datatype});
}

}  // namespace tutti::mpi
