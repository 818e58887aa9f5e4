/* Every function of MPI with arguments of which one is wrong, each in turn: an error class, and never a
 * crash. */
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include "check.h"

enum sort {
    kComm,
    kDatatype,
    kErrhandler,
    kFile,
    kGroup,
    kInfo,
    kMessage,
    kOp,
    kRequest,
    kSession,
    kWin,
    kHandles,
    kCommArray = kHandles,
    kDatatypeArray,
    kErrhandlerArray,
    kFileArray,
    kGroupArray,
    kInfoArray,
    kMessageArray,
    kOpArray,
    kRequestArray,
    kSessionArray,
    kWinArray,
    kCount,
    kCounts,
    kRank,
    kRoot,
    kLeader,
    kInteger,
    kNumber,
    kText,
    kPointer
};

union value {
    void* pointer;
    long long number;
};

enum { kMostArguments = 20, kBytes = 8192 };

struct call {
    const char* name;
    int (*function)(const union value*);
    int is_large, count;
    enum sort sorts[kMostArguments];
    const char* sides; /* where each counts on an intercommunicator: generate_calls */
};

#include "calls.h"

static char memory[kMostArguments][kBytes];
static void* right[kHandles];
static const void* const null_handles[kHandles] = {
    MPI_COMM_NULL,    MPI_DATATYPE_NULL, MPI_ERRHANDLER_NULL, MPI_FILE_NULL,    MPI_GROUP_NULL, MPI_INFO_NULL,
    MPI_MESSAGE_NULL, MPI_OP_NULL,       MPI_REQUEST_NULL,    MPI_SESSION_NULL, MPI_WIN_NULL};
static void* freed[kHandles];
/* Objects of another sort: an info, and a communicator for infos. */
static void* foreign[2];
static const char* current = "";
/* Of an intercommunicator between two ranks, the first of which is the root of all calls. */
static int is_inter, is_root;

static void tell(int number)
{
    (void)number;
    const ssize_t told = write(2, current, strlen(current));
    (void)told;
    _exit(1);
}

static void fill_handles(void* array, void* handle)
{
    size_t i;
    for (i = 0; i < kBytes / sizeof handle; ++i)
        memcpy((char*)array + i * sizeof handle, &handle, sizeof handle);
}

/* An argument that most calls take. */
static union value right_argument(const struct call* call, int i)
{
    const enum sort sort = call->sorts[i];
    union value value = {NULL};
    int j;
    memset(memory[i], 0, kBytes);
    switch (sort) {
        case kCount:
            value.number = 1;
            return value;
        case kRank:
        case kLeader:
            value.number = MPI_PROC_NULL; /* no call waits for it */
            return value;
        case kRoot:
            value.number = is_root ? MPI_ROOT : 0;
            return value;
        case kInteger:
            value.number = 0;
            return value;
        case kNumber:
            value.number = 1;
            return value;
        case kCounts:
            for (j = 0; j < 100; ++j) {
                if (call->is_large)
                    ((MPI_Count*)(void*)memory[i])[j] = 1;
                else
                    ((int*)(void*)memory[i])[j] = 1;
            }
            break;
        case kText:
            strcpy(memory[i], "text");
            break;
        case kPointer:
            break;
        default:
            if (sort < kHandles) {
                value.pointer = right[sort];
                return value;
            }
            fill_handles(memory[i], right[sort - kHandles]);
    }
    value.pointer = memory[i];
    return value;
}

/* The n-th wrong argument; 0: there are no more. `must_fail`: no call takes it. */
static int wrong_argument(const struct call* call, int i, int n, union value* value, int* must_fail)
{
    const enum sort sort = call->sorts[i];
    *must_fail = 0;
    if (sort < kHandles || (sort >= kHandles && sort < kCount)) {
        const enum sort handle = sort < kHandles ? sort : (enum sort)(sort - kHandles);
        void* const wrong[] = {(void*)(intptr_t)null_handles[handle], (void*)(intptr_t)2000, freed[handle],
                               foreign[handle == kInfo], (void*)(intptr_t)3};
        if (sort >= kHandles && n == 5) {
            value->pointer = NULL;
            return 1;
        }
        if (n > 4)
            return 0;
        *must_fail = n > 0 && sort < kHandles;
        if (sort < kHandles)
            value->pointer = wrong[n];
        else
            fill_handles(memory[i], wrong[n]);
        return 1;
    }
    switch (sort) {
        case kCount:
            value->number = -77;
            *must_fail = 1;
            return n == 0;
        case kCounts:
            if (n == 0)
                memset(memory[i], 0xff, kBytes);
            else
                value->pointer = NULL;
            return n < 2;
        case kRank:
        case kRoot:
        case kLeader:
        case kInteger:
            value->number = n == 0 ? -77 : INT_MAX;
            *must_fail = sort == kRank || sort == kRoot;
            return n < 2;
        case kNumber:
            value->number = -77;
            return n == 0;
        default:
            value->pointer = NULL;
            return n == 0;
    }
}

static void check_code(const struct call* call, int code, int must_fail, int i, int n)
{
    int error_class = -1;
    if (MPI_Error_class(code, &error_class) != MPI_SUCCESS || error_class < 0 ||
        error_class > MPI_ERR_LASTCODE)
        fprintf(stderr, "%s: %d is no code\n", call->name, code);
    else if (must_fail && code == MPI_SUCCESS)
        fprintf(stderr, "%s takes wrong argument %d of parameter %d\n", call->name, n, i);
    else
        return;
    ++check_failures;
}

/* A rank whose collective access is wrong tells the others so, and has the error when the request is
 * complete. */
static int code_at_end(const struct call* call, const union value* arguments, int code)
{
    if (code != MPI_SUCCESS || strncmp(call->name, "MPI_File_i", 10) != 0)
        return code;
    return MPI_Wait(arguments[call->count - 1].pointer, MPI_STATUS_IGNORE);
}

static void all_calls(void)
{
    static char words[200];
    size_t c;
    int i, j, n, must_fail;
    current = words;
    for (c = 0; c < sizeof calls / sizeof *calls; ++c) {
        const struct call* const call = &calls[c];
        for (i = 0; i < call->count; ++i) {
            /* A rank that the argument does not matter to would wait for the other one. */
            if (is_inter && call->sides[i] == (is_root ? 'L' : 'R'))
                continue;
            for (n = 0;; ++n) {
                union value arguments[kMostArguments];
                for (j = 0; j < call->count; ++j)
                    arguments[j] = right_argument(call, j);
                if (!wrong_argument(call, i, n, &arguments[i], &must_fail))
                    break;
                snprintf(words, sizeof words, "%s: wrong argument %d of parameter %d: a crash or no end\n",
                         call->name, n, i);
                alarm(60);
                check_code(call, code_at_end(call, arguments, call->function(arguments)), must_fail, i, n);
            }
        }
    }
    alarm(0);
}

static void make_files(void)
{
    char path[] = "/tmp/tutti-arguments-XXXXXX";
    MPI_File file;
    close(mkstemp(path));
    CHECK_OK(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    freed[kFile] = file;
    CHECK_OK(MPI_File_close(&file));
    CHECK_OK(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    right[kFile] = file;
    unlink(path);
}

static void make_handles(void)
{
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM};
    size_t i;
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Group group;
    MPI_Info info;
    MPI_Win win;
    static int in_window[64];
    for (i = 0; i < sizeof signals / sizeof *signals; ++i)
        signal(signals[i], tell);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Comm_group(MPI_COMM_SELF, &group);
    MPI_Info_create(&info);
    foreign[0] = info;
    foreign[1] = comm;
    for (i = 0; i < kHandles; ++i)
        freed[i] = (void*)(intptr_t)2001;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    freed[kComm] = comm;
    freed[kDatatype] = type;
    freed[kGroup] = group;
    MPI_Info_create(&info);
    freed[kInfo] = info;
    MPI_Win_create(in_window, sizeof in_window, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    freed[kWin] = win;
    MPI_Win_free(&win);
    MPI_Comm_free(&comm);
    MPI_Type_free(&type);
    MPI_Group_free(&group);
    MPI_Info_free(&info);
    for (i = 0; i < kHandles; ++i)
        right[i] = (void*)(intptr_t)null_handles[i];
    right[kComm] = MPI_COMM_SELF;
    right[kDatatype] = MPI_INT;
    right[kErrhandler] = MPI_ERRORS_RETURN;
    right[kGroup] = MPI_GROUP_EMPTY;
    right[kOp] = MPI_SUM;
    MPI_Win_create(in_window, sizeof in_window, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    right[kWin] = win;
    make_files();
}

static void between_two_ranks(void)
{
    MPI_Comm comm;
    is_inter = 1;
    is_root = check_rank() == 0;
    CHECK_OK(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - check_rank(), 1, &comm));
    right[kComm] = comm;
    all_calls();
}

static void alone(void)
{
    const int one = 1, edge = 0;
    MPI_Comm comm;
    all_calls();
    MPI_Cart_create(MPI_COMM_SELF, 1, &one, &one, 0, &comm);
    right[kComm] = comm;
    all_calls();
    MPI_Graph_create(MPI_COMM_SELF, 1, &one, &edge, 0, &comm);
    right[kComm] = comm;
    all_calls();
    MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, &edge, MPI_UNWEIGHTED, 1, &edge, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &comm);
    right[kComm] = comm;
    all_calls();
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    make_handles();
    if (check_size() == 1)
        alone();
    else
        between_two_ranks();
    MPI_Finalize();
    return check_result();
}
