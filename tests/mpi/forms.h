/* A collective in one of its three forms. */
#ifndef TUTTI_TESTS_MPI_FORMS_H
#define TUTTI_TESTS_MPI_FORMS_H

#include "check.h"

enum { kBlocking, kNonblocking, kPersistent, kForms };

static int form = kBlocking;

static inline void check_wait(MPI_Request* request)
{
    if (form == kPersistent) {
        CHECK_OK(MPI_Start(request));
        CHECK_OK(MPI_Wait(request, MPI_STATUS_IGNORE));
        CHECK(*request != MPI_REQUEST_NULL);
        MPI_Request_free(request);
    } else {
        CHECK_OK(MPI_Wait(request, MPI_STATUS_IGNORE));
        CHECK(*request == MPI_REQUEST_NULL);
    }
}

/* COLLECTIVE(Bcast, bcast, arguments of MPI_Bcast) in the form of `form`, to its end. */
#define COLLECTIVE(Name, name, ...)                                               \
    do {                                                                          \
        MPI_Request request_ = MPI_REQUEST_NULL;                                  \
        if (form == kBlocking) {                                                  \
            CHECK_OK(MPI_##Name(__VA_ARGS__));                                    \
        } else {                                                                  \
            if (form == kNonblocking)                                             \
                CHECK_OK(MPI_I##name(__VA_ARGS__, &request_));                    \
            else                                                                  \
                CHECK_OK(MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &request_)); \
            check_wait(&request_);                                                \
        }                                                                         \
    } while (0)

#endif
