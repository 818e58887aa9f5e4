/* A file of a test: its name, and its bytes as the system has them. */
#ifndef TUTTI_TESTS_MPI_FILES_H
#define TUTTI_TESTS_MPI_FILES_H

#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static char files_path[512];

/* Names a file that does not exist; all ranks know it. */
static inline void files_name(const char* chapter)
{
    const char* folder = getenv("TMPDIR");
    snprintf(files_path, sizeof files_path, "%s/tutti-%s-%d", folder == NULL ? "/tmp" : folder, chapter, (int)getpid());
    MPI_Bcast(files_path, (int)sizeof files_path, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (check_rank() == 0)
        unlink(files_path);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All ranks have what they wanted of the file. */
static inline void files_remove(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0)
        unlink(files_path);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 writes the whole file, and all go on. */
static inline void files_fill(const void* bytes, size_t count)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) {
        FILE* file = fopen(files_path, "wb");
        CHECK(file != NULL && fwrite(bytes, 1, count, file) == count);
        if (file != NULL)
            fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The file's bytes once all ranks are here, up to `limit`; returns how many there are. */
static inline size_t files_bytes(void* into, size_t limit)
{
    size_t count = 0;
    FILE* file = NULL;
    MPI_Barrier(MPI_COMM_WORLD);
    file = fopen(files_path, "rb");
    CHECK(file != NULL);
    if (file != NULL) {
        count = fread(into, 1, limit, file);
        fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return count;
}

static inline MPI_File files_open(int amode)
{
    MPI_File file = MPI_FILE_NULL;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, files_path, amode, MPI_INFO_NULL, &file));
    return file;
}

/* The elements that a status counts. */
static inline int files_count(const MPI_Status* status, MPI_Datatype datatype)
{
    int count = -1;
    CHECK_OK(MPI_Get_count(status, datatype, &count));
    return count;
}

#endif
