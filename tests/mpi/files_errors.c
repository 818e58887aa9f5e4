/* Error handlers of files: the default one returns, and that of MPI_FILE_NULL takes the errors of calls without a
   file. */
#include "files_access.h"

#ifndef MPI_ERR_ERRHANDLER /* not in headers of MPI 3 */
#define MPI_ERR_ERRHANDLER MPI_ERR_ARG
#endif

static int calls = 0;
static int last_class = MPI_SUCCESS;
static MPI_File last_file;

static void on_error(MPI_File* file, int* code, ...)
{
    ++calls;
    MPI_Error_class(*code, &last_class);
    last_file = *file;
}

static void on_error_of_window(MPI_Win* window, int* code, ...)
{
    (void)window;
    (void)code;
}

static void took(int expected_calls, int expected_class, MPI_File expected_file)
{
    CHECK_EQUAL(calls, expected_calls);
    CHECK_EQUAL(last_class, expected_class);
    CHECK(last_file == expected_file);
    calls = 0;
}

/* MPI_COMM_WORLD's handler still ends the job here: no error of a file reaches it. */
static void returned_by_default(void)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_File file = MPI_FILE_NULL;
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, files_path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
                MPI_ERR_NO_SUCH_FILE, "MPI_File_open: cannot open");
    CHECK_ERROR(MPI_File_open(MPI_COMM_NULL, files_path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_COMM,
                "MPI_File_open: ");
    CHECK_ERROR(MPI_File_delete(files_path, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE, "MPI_File_delete: ");
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_ERROR(MPI_File_sync(MPI_FILE_NULL), MPI_ERR_FILE, "MPI_FILE_NULL");
    CHECK_OK(MPI_File_get_errhandler(MPI_FILE_NULL, &handler));
    CHECK(handler == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Errhandler_free(&handler));
}

static void of_a_file(void)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Errhandler found = MPI_ERRHANDLER_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_File file = MPI_FILE_NULL;
    MPI_File again = MPI_FILE_NULL;
    int word = 1;
    CHECK_OK(MPI_File_create_errhandler(on_error, &handler));
    file = files_open(MPI_MODE_CREATE | MPI_MODE_WRONLY);
    CHECK_OK(MPI_File_get_errhandler(file, &found));
    CHECK(found == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Errhandler_free(&found));
    CHECK_OK(MPI_File_set_errhandler(file, handler));
    CHECK_OK(MPI_File_get_errhandler(file, &found));
    CHECK(found == handler);
    CHECK_OK(MPI_Errhandler_free(&found));
    CHECK_OK(MPI_Errhandler_free(&handler)); /* the file keeps it */
    CHECK_ERROR(MPI_File_read(file, &word, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ACCESS, files_path);
    took(1, MPI_ERR_ACCESS, file);
    CHECK_ERROR(MPI_File_iread(file, &word, 1, MPI_INT, &request), MPI_ERR_ACCESS, files_path);
    took(1, MPI_ERR_ACCESS, file);
    CHECK_OK(MPI_File_call_errhandler(file, MPI_ERR_QUOTA));
    took(1, MPI_ERR_QUOTA, file);
    again = files_open(MPI_MODE_RDWR);
    CHECK_ERROR(MPI_File_seek(again, -1, MPI_SEEK_SET), MPI_ERR_ARG, "in front of the view");
    CHECK_EQUAL(calls, 0); /* another file's */
    CHECK_OK(MPI_File_close(&again));
    CHECK_OK(MPI_File_close(&file));
    files_remove();
}

static void of_no_file(void)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Errhandler found = MPI_ERRHANDLER_NULL;
    MPI_File file = MPI_FILE_NULL;
    CHECK_OK(MPI_File_create_errhandler(on_error, &handler));
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, files_path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
                MPI_ERR_NO_SUCH_FILE, files_path);
    took(1, MPI_ERR_NO_SUCH_FILE, MPI_FILE_NULL);
    CHECK_ERROR(MPI_File_close(&file), MPI_ERR_FILE, "MPI_FILE_NULL");
    took(1, MPI_ERR_FILE, MPI_FILE_NULL);
    CHECK_OK(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO));
    took(1, MPI_ERR_IO, MPI_FILE_NULL);
    /* Files take it with them when they are opened. */
    file = files_open(MPI_MODE_CREATE | MPI_MODE_RDWR);
    CHECK_OK(MPI_File_get_errhandler(file, &found));
    CHECK(found == handler);
    CHECK_OK(MPI_Errhandler_free(&found));
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    CHECK_ERROR(MPI_File_seek(file, -1, MPI_SEEK_SET), MPI_ERR_ARG, "in front of the view");
    took(1, MPI_ERR_ARG, file);
    CHECK_OK(MPI_File_close(&file));
    CHECK_OK(MPI_Errhandler_free(&handler));
    files_remove();
}

static void of_other_objects(void)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_File file = files_open(MPI_MODE_CREATE | MPI_MODE_RDWR);
    check_errors_return();
    CHECK_OK(MPI_Win_create_errhandler(on_error_of_window, &handler));
    CHECK_ERROR(MPI_File_set_errhandler(file, handler), MPI_ERR_ERRHANDLER,
                "is one of windows; make one with MPI_File_create_errhandler");
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_OK(MPI_File_create_errhandler(on_error, &handler));
    CHECK_ERROR(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler), MPI_ERR_ERRHANDLER,
                "is one of files; make one with MPI_Comm_create_errhandler");
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_OK(MPI_File_close(&file));
    files_remove();
}

/* The last rank's call of a collective access is wrong. */
static int wrong_access(MPI_File file, int writes, enum files_place place, enum files_form form, int how)
{
    static char bytes[8];
    MPI_Status status;
    const int is_wrong = check_rank() == check_size() - 1;
    void* const buffer = is_wrong && how == 0 ? NULL : bytes;
    const int count = is_wrong && how == 1 ? -1 : 8;
    const MPI_Datatype type = is_wrong && how == 2 ? MPI_DATATYPE_NULL : MPI_CHAR;
    const MPI_Offset offset = is_wrong && how == 3 ? -1 : 8 * check_rank();
    return writes ? files_write(file, place, 1, form, offset, buffer, count, type, &status)
                  : files_read(file, place, 1, form, offset, buffer, count, type, &status);
}

/* All ranks are told which rank's call is wrong, and why. */
static void of_one_of_all(int atomic)
{
    static const int classes[] = {MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_ARG};
    static const char* const causes[] = {"null pointer", "-1", "MPI_DATATYPE_NULL", "the offset is -1"};
    char told[96];
    int i = 0;
    MPI_Offset size = -1;
    MPI_File file = files_open(MPI_MODE_CREATE | MPI_MODE_RDWR);
    CHECK_OK(MPI_File_set_atomicity(file, atomic));
    snprintf(told, sizeof told,
             "rank %d has made this call with arguments that are wrong: ", check_size() - 1);
    for (i = 0; i < 2 * 3 * FILES_FORMS * 4; ++i) {
        const int writes = i % 2;
        const enum files_place place = (enum files_place)(i / 2 % 3);
        const enum files_form form = (enum files_form)(i / 6 % FILES_FORMS);
        const int how = i / 6 / FILES_FORMS;
        int code = MPI_SUCCESS;
        if (!files_has_form(place, 1, form) || (how == 3 && place != FILES_AT))
            continue;
        code = wrong_access(file, writes, place, form, how);
        if (check_rank() == check_size() - 1) {
            CHECK_ERROR(code, classes[how], causes[how]);
        } else {
            CHECK_ERROR(code, MPI_ERR_ARG, told);
            CHECK_ERROR(code, MPI_ERR_ARG, causes[how]);
        }
    }
    CHECK_OK(MPI_File_get_size(file, &size));
    CHECK_EQUAL(size, 0);
    CHECK_OK(MPI_File_close(&file));
    files_remove();
}

/* Rank 0 writes to a file system of its own, of which `command` has made little or nothing to be written. */
static void refused(const char* folder, const char* command, int amode, int expected_class,
                    const char* remedy)
{
    enum { kMuch = 8 << 20 };
    char path[600];
    MPI_File file = MPI_FILE_NULL;
    char* much = calloc(1, kMuch);
    CHECK(system(command) == 0);
    snprintf(path, sizeof path, "%s/file", folder);
    if (expected_class == MPI_ERR_READ_ONLY) {
        CHECK_ERROR(MPI_File_open(MPI_COMM_SELF, path, amode, MPI_INFO_NULL, &file), expected_class, path);
        CHECK_ERROR(MPI_File_open(MPI_COMM_SELF, path, amode, MPI_INFO_NULL, &file), expected_class, remedy);
        CHECK_ERROR(MPI_File_delete(path, MPI_INFO_NULL), expected_class, remedy);
    } else {
        CHECK_OK(MPI_File_open(MPI_COMM_SELF, path, amode, MPI_INFO_NULL, &file));
        CHECK_ERROR(MPI_File_write_at(file, 0, much, kMuch, MPI_BYTE, MPI_STATUS_IGNORE), expected_class,
                    path);
        CHECK_ERROR(MPI_File_write_at_all(file, 0, much, kMuch, MPI_BYTE, MPI_STATUS_IGNORE), expected_class,
                    remedy);
        CHECK_OK(MPI_File_close(&file));
    }
    free(much);
}

/* On two ranks, once is enough: root makes file systems that are full, only read, or have a quota, which
 * needs a kernel with btrfs and its tools. */
static void by_file_systems(void)
{
    const int written = MPI_MODE_CREATE | MPI_MODE_RDWR;
    char folder[540];
    char image[540];
    char command[4096];
    if (check_rank() != 0 || check_size() != 2 || geteuid() != 0)
        return;
    snprintf(folder, sizeof folder, "%s-folder", files_path);
    snprintf(image, sizeof image, "%s-image", files_path);
    snprintf(command, sizeof command, "mkdir %s && mount -t tmpfs -o size=1m tmpfs %s", folder, folder);
    if (system(command) != 0) {
        printf("not checked: file systems that refuse, as none can be mounted here\n");
        rmdir(folder);
        return;
    }
    refused(folder, "true", written, MPI_ERR_NO_SPACE, "free room");
    snprintf(command, sizeof command, "mount -o remount,ro %s", folder);
    refused(folder, command, written, MPI_ERR_READ_ONLY, "choose another folder");
    snprintf(command, sizeof command, "umount %s", folder);
    CHECK(system(command) == 0);
    snprintf(command, sizeof command,
             "truncate -s 128M %s && mkfs.btrfs -q %s && mount -o loop %s %s && btrfs -q quota enable %s && "
             "btrfs qgroup limit 2M 0/5 %s",
             image, image, image, folder, folder, folder);
    if (system("command -v btrfs mkfs.btrfs losetup > /dev/null && grep -q btrfs /proc/filesystems") == 0)
        refused(folder, command, written, MPI_ERR_QUOTA, "within your quota");
    else
        printf("not checked: a quota, as there is no btrfs\n");
    snprintf(command, sizeof command, "umount -q %s; rmdir %s; rm -f %s", folder, folder, image);
    CHECK(system(command) == 0);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    files_name("files_errors");
    returned_by_default();
    of_a_file();
    of_no_file();
    of_other_objects();
    of_one_of_all(0);
    of_one_of_all(1);
    by_file_systems();
    MPI_Finalize();
    return check_result();
}
