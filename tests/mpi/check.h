/* Checks of C programs that use MPI. A failed one is told, and the program goes on; main returns check_result(). */
#ifndef TUTTI_TESTS_MPI_CHECK_H
#define TUTTI_TESTS_MPI_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int check_failures = 0;

static inline void check_report(int holds, const char* what, const char* file, int line)
{
    if (holds)
        return;
    ++check_failures;
    fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
}

static inline void check_equal(long long got, long long expected, const char* what, const char* file, int line)
{
    if (got == expected)
        return;
    ++check_failures;
    fprintf(stderr, "%s:%d: failed: %s is %lld, not %lld\n", file, line, what, got, expected);
}

/* The call succeeds. */
static inline void check_ok(int code, const char* what, const char* file, int line)
{
    char sentence[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (code == MPI_SUCCESS)
        return;
    MPI_Error_string(code, sentence, &length);
    ++check_failures;
    fprintf(stderr, "%s:%d: failed: %s: %s\n", file, line, what, sentence);
}

/* The call's code has this class, and its sentence contains `words`. */
static inline void check_error(int code, int expected_class, const char* words, const char* what, const char* file,
                               int line)
{
    char sentence[MPI_MAX_ERROR_STRING];
    int length = 0;
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    check_equal(error_class, expected_class, what, file, line);
    MPI_Error_string(code, sentence, &length);
    check_equal(length, (long long)strlen(sentence), "the sentence's length", file, line);
    if (strstr(sentence, words) == NULL) {
        ++check_failures;
        fprintf(stderr, "%s:%d: failed: \"%s\" is not in \"%s\"\n", file, line, words, sentence);
    }
}

#define CHECK(condition) check_report(!!(condition), #condition, __FILE__, __LINE__)
#define CHECK_EQUAL(got, expected) check_equal((got), (expected), #got, __FILE__, __LINE__)
#define CHECK_OK(call) check_ok((call), #call, __FILE__, __LINE__)
#define CHECK_ERROR(call, error_class, words) \
    check_error((call), (error_class), (words), #call, __FILE__, __LINE__)

static inline int check_result(void)
{
    return check_failures == 0 ? 0 : 1;
}

/* Errors come back as codes from here on. */
static inline void check_errors_return(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

static inline int check_rank(void)
{
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static inline int check_size(void)
{
    int size = -1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

#endif
