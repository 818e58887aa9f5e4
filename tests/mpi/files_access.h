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

/* files_read and files_write: `verb` is in the names of the functions. */
#define FILES_ACCESS(verb, pointer)                                                                          \
    static inline int files_##verb##_split(MPI_File file, enum files_place place, MPI_Offset offset,         \
                                           pointer buffer, int count, MPI_Datatype type, MPI_Status* status) \
    {                                                                                                        \
        int code = MPI_SUCCESS;                                                                              \
        if (place == FILES_AT)                                                                               \
            code = MPI_File_##verb##_at_all_begin(file, offset, buffer, count, type);                        \
        else if (place == FILES_OWN)                                                                         \
            code = MPI_File_##verb##_all_begin(file, buffer, count, type);                                   \
        else                                                                                                 \
            code = MPI_File_##verb##_ordered_begin(file, buffer, count, type);                               \
        if (code != MPI_SUCCESS)                                                                             \
            return code;                                                                                     \
        if (place == FILES_AT)                                                                               \
            return MPI_File_##verb##_at_all_end(file, buffer, status);                                       \
        return place == FILES_OWN ? MPI_File_##verb##_all_end(file, buffer, status)                          \
                                  : MPI_File_##verb##_ordered_end(file, buffer, status);                     \
    }                                                                                                        \
    static inline int files_##verb##_by_request(MPI_File file, enum files_place place, int together,         \
                                                MPI_Offset offset, pointer buffer, int count,                \
                                                MPI_Datatype type, MPI_Status* status)                       \
    {                                                                                                        \
        MPI_Request request = MPI_REQUEST_NULL;                                                              \
        int code = MPI_SUCCESS;                                                                              \
        if (place == FILES_AT)                                                                               \
            code = together ? MPI_File_i##verb##_at_all(file, offset, buffer, count, type, &request)         \
                            : MPI_File_i##verb##_at(file, offset, buffer, count, type, &request);            \
        else if (place == FILES_OWN)                                                                         \
            code = together ? MPI_File_i##verb##_all(file, buffer, count, type, &request)                    \
                            : MPI_File_i##verb(file, buffer, count, type, &request);                         \
        else                                                                                                 \
            code = MPI_File_i##verb##_shared(file, buffer, count, type, &request);                           \
        return code != MPI_SUCCESS ? code : MPI_Wait(&request, status);                                      \
    }                                                                                                        \
    static inline int files_##verb(MPI_File file, enum files_place place, int together,                      \
                                   enum files_form form, MPI_Offset offset, pointer buffer, int count,       \
                                   MPI_Datatype type, MPI_Status* status)                                    \
    {                                                                                                        \
        if (form == FILES_SPLIT)                                                                             \
            return files_##verb##_split(file, place, offset, buffer, count, type, status);                   \
        if (form == FILES_NONBLOCKING)                                                                       \
            return files_##verb##_by_request(file, place, together, offset, buffer, count, type, status);    \
        if (place == FILES_AT)                                                                               \
            return together ? MPI_File_##verb##_at_all(file, offset, buffer, count, type, status)            \
                            : MPI_File_##verb##_at(file, offset, buffer, count, type, status);               \
        if (place == FILES_OWN)                                                                              \
            return together ? MPI_File_##verb##_all(file, buffer, count, type, status)                       \
                            : MPI_File_##verb(file, buffer, count, type, status);                            \
        return together ? MPI_File_##verb##_ordered(file, buffer, count, type, status)                       \
                        : MPI_File_##verb##_shared(file, buffer, count, type, status);                       \
    }

FILES_ACCESS(read, void*)
FILES_ACCESS(write, const void*)

#endif
