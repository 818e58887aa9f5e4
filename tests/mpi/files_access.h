/* All functions that access files, by what they do: writes or reads, place, together or alone, form. */
#ifndef TUTTI_TESTS_MPI_FILES_ACCESS_H
#define TUTTI_TESTS_MPI_FILES_ACCESS_H

#include "files.h"

enum files_place { FILES_AT, FILES_OWN, FILES_SHARED };
enum files_form { FILES_BLOCKING, FILES_NONBLOCKING, FILES_SPLIT, FILES_FORMS };

/* `ordered` accesses have no form with a request, and those of one rank alone none in two halves. */
static inline int files_has_form(enum files_place place, int together, enum files_form form)
{
    if (form == FILES_SPLIT)
        return together;
    return form == FILES_BLOCKING || place != FILES_SHARED || !together;
}

static inline int files_read(MPI_File file, enum files_place place, int together, enum files_form form,
                             MPI_Offset offset, void* buffer, int count, MPI_Datatype type, MPI_Status* status)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_SUCCESS;
    if (form == FILES_SPLIT && place == FILES_AT)
        return (code = MPI_File_read_at_all_begin(file, offset, buffer, count, type)) != MPI_SUCCESS
                   ? code
                   : MPI_File_read_at_all_end(file, buffer, status);
    if (form == FILES_SPLIT && place == FILES_OWN)
        return (code = MPI_File_read_all_begin(file, buffer, count, type)) != MPI_SUCCESS
                   ? code
                   : MPI_File_read_all_end(file, buffer, status);
    if (form == FILES_SPLIT)
        return (code = MPI_File_read_ordered_begin(file, buffer, count, type)) != MPI_SUCCESS
                   ? code
                   : MPI_File_read_ordered_end(file, buffer, status);
    if (form == FILES_BLOCKING && place == FILES_AT)
        return together ? MPI_File_read_at_all(file, offset, buffer, count, type, status)
                        : MPI_File_read_at(file, offset, buffer, count, type, status);
    if (form == FILES_BLOCKING && place == FILES_OWN)
        return together ? MPI_File_read_all(file, buffer, count, type, status)
                        : MPI_File_read(file, buffer, count, type, status);
    if (form == FILES_BLOCKING)
        return together ? MPI_File_read_ordered(file, buffer, count, type, status)
                        : MPI_File_read_shared(file, buffer, count, type, status);
    if (place == FILES_AT)
        code = together ? MPI_File_iread_at_all(file, offset, buffer, count, type, &request)
                        : MPI_File_iread_at(file, offset, buffer, count, type, &request);
    else if (place == FILES_OWN)
        code = together ? MPI_File_iread_all(file, buffer, count, type, &request)
                        : MPI_File_iread(file, buffer, count, type, &request);
    else
        code = MPI_File_iread_shared(file, buffer, count, type, &request);
    return code != MPI_SUCCESS ? code : MPI_Wait(&request, status);
}

static inline int files_write(MPI_File file, enum files_place place, int together, enum files_form form,
                              MPI_Offset offset, const void* buffer, int count, MPI_Datatype type,
                              MPI_Status* status)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_SUCCESS;
    if (form == FILES_SPLIT && place == FILES_AT)
        return (code = MPI_File_write_at_all_begin(file, offset, buffer, count, type)) != MPI_SUCCESS
                   ? code
                   : MPI_File_write_at_all_end(file, buffer, status);
    if (form == FILES_SPLIT && place == FILES_OWN)
        return (code = MPI_File_write_all_begin(file, buffer, count, type)) != MPI_SUCCESS
                   ? code
                   : MPI_File_write_all_end(file, buffer, status);
    if (form == FILES_SPLIT)
        return (code = MPI_File_write_ordered_begin(file, buffer, count, type)) != MPI_SUCCESS
                   ? code
                   : MPI_File_write_ordered_end(file, buffer, status);
    if (form == FILES_BLOCKING && place == FILES_AT)
        return together ? MPI_File_write_at_all(file, offset, buffer, count, type, status)
                        : MPI_File_write_at(file, offset, buffer, count, type, status);
    if (form == FILES_BLOCKING && place == FILES_OWN)
        return together ? MPI_File_write_all(file, buffer, count, type, status)
                        : MPI_File_write(file, buffer, count, type, status);
    if (form == FILES_BLOCKING)
        return together ? MPI_File_write_ordered(file, buffer, count, type, status)
                        : MPI_File_write_shared(file, buffer, count, type, status);
    if (place == FILES_AT)
        code = together ? MPI_File_iwrite_at_all(file, offset, buffer, count, type, &request)
                        : MPI_File_iwrite_at(file, offset, buffer, count, type, &request);
    else if (place == FILES_OWN)
        code = together ? MPI_File_iwrite_all(file, buffer, count, type, &request)
                        : MPI_File_iwrite(file, buffer, count, type, &request);
    else
        code = MPI_File_iwrite_shared(file, buffer, count, type, &request);
    return code != MPI_SUCCESS ? code : MPI_Wait(&request, status);
}

#endif
