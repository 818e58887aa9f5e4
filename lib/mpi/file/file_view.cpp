// What a rank sees of the file.
#include <fmt/format.h>

#include "lib/mpi/file/file_hints.hpp"
#include "lib/mpi/file/file_object.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/strings.hpp"
#include "lib/mpi/table/bodies.hpp"
#include "tutti/calls.hpp"

namespace tutti::mpi {

namespace {

void check_etype(std::size_t etype_bytes, std::size_t filetype_bytes)
{
    if (etype_bytes == 0)
        fail(MPI_ERR_TYPE, "the etype has no bytes; offsets count etypes, so take one that has");
    if (filetype_bytes % etype_bytes != 0)
        fail(MPI_ERR_TYPE, fmt::format("the filetype has {} bytes, which are no whole number of etypes of {} "
                                       "bytes; make the filetype "
                                       "of etypes",
                                       filetype_bytes, etype_bytes));
}

// What is only read may be in the view twice.
void check_filetype(const datatype::Typemap& type, const detail::ViewMap& view, bool is_written)
{
    if (type.size_bytes() == 0)
        return;
    if (type.true_lower_bound() < 0)
        fail(MPI_ERR_TYPE,
             fmt::format("the filetype begins at byte {}; its displacements must not be negative",
                         type.true_lower_bound()));
    if (is_written && !view.ascends(type.size_bytes()))
        fail(MPI_ERR_TYPE,
             "the filetype's parts overlap, or one lies before another that comes earlier; put its "
             "displacements in ascending order, or open the file only to read it");
}

// Where the view begins, in bytes. Collective for MPI_DISPLACEMENT_CURRENT: nobody moves the shared pointer
// before all have looked at it.
MPI_Offset beginning_of(const File& file, MPI_Offset disp)
{
    if (disp != MPI_DISPLACEMENT_CURRENT) {
        if (disp < 0)
            fail(MPI_ERR_DISP, fmt::format("the displacement is {}; it must not be negative", disp));
        return disp;
    }
    if (!file.state->modes().is_sequential)
        fail(MPI_ERR_DISP,
             "MPI_DISPLACEMENT_CURRENT is for files that were opened with MPI_MODE_SEQUENTIAL; give the "
             "displacement in bytes");
    const MPI_Offset place = file.state->byte_of(file.state->shared_position());
    detail::call_barrier(file.state->communicator(), detail::Form::blocking, {});
    return place;
}

}  // namespace

int file_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                  const char* datarep, MPI_Info info)
{
    return guard("MPI_File_set_view", fh, [&] {
        File& file = file_of(fh);
        check_no_split(file);
        FileView view{.etype = inner_of(committed_type(etype)),
                      .filetype = inner_of(committed_type(filetype)),
                      .representation = &representation_of(datarep)};
        const std::size_t etype_bytes = type_in_file(view.etype, *view.representation)->size_bytes();
        const datatype::TypemapRef map = type_in_file(view.filetype, *view.representation);
        check_etype(etype_bytes, map->size_bytes());
        const detail::FileHints hints = changed_file_hints(file.state->hints(), info);
        view.displacement = beginning_of(file, disp);
        detail::ViewMap places(view.displacement, map);
        check_filetype(*map, places, file.state->modes().writes);
        file.state->set_view(std::move(places), etype_bytes, view.representation->number);
        file.state->set_hints(hints);
        file.view = std::move(view);
    });
}

int file_get_view(MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype, char* datarep)
{
    return guard("MPI_File_get_view", fh, [&] {
        const FileView& view = file_of(fh).view;
        check_not_null(disp, "disp");
        check_not_null(etype, "etype");
        check_not_null(filetype, "filetype");
        int length = 0;
        copy_out(view.representation->name, datarep, &length, MPI_MAX_DATAREP_STRING);
        *disp = view.displacement;
        *etype = handle_of(view.etype);
        *filetype = handle_of(view.filetype);
    });
}

int file_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Count* extent)
{
    return guard_result("MPI_File_get_type_extent", fh, extent, "extent", [&] {
        const File& file = file_of(fh);
        return type_in_file(inner_of(datatype_of(datatype)), *file.view.representation)->extent_bytes();
    });
}

}  // namespace tutti::mpi
