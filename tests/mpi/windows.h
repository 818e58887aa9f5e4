/* Memory for windows of MPI_Win_create. */
#ifndef TUTTI_TESTS_MPI_WINDOWS_H
#define TUTTI_TESTS_MPI_WINDOWS_H

#include "check.h"

/* Zeros, from MPI_Alloc_mem. */
static inline void* window_memory(size_t bytes)
{
    void* memory = NULL;
    CHECK_OK(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory));
    return memory == NULL ? NULL : memset(memory, 0, bytes);
}

/* The error of an operation: its call reports it, or the flush behind it. */
#define CHECK_OPERATION_ERROR(call, rank, win, error_class, words)                                  \
    do {                                                                                            \
        const int called = (call);                                                                  \
        CHECK_ERROR(called == MPI_SUCCESS ? MPI_Win_flush(rank, win) : called, error_class, words); \
    } while (0)

static inline void window_memory_free(void* memory)
{
    CHECK_OK(MPI_Free_mem(memory));
}

#endif
