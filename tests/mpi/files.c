/* Files are opened, closed and removed; their modes, sizes, groups and hints. */
#include "files.h"

static void modes_that_exclude_each_other(void)
{
    MPI_File file = MPI_FILE_NULL;
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, files_path, MPI_MODE_CREATE, MPI_INFO_NULL, &file), MPI_ERR_AMODE,
                "MPI_File_open: the access mode must have one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR");
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, files_path, MPI_MODE_RDONLY | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
                MPI_ERR_AMODE, "only one");
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, files_path, MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file),
                MPI_ERR_AMODE, "a file that is only read is not created");
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, files_path, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &file),
                MPI_ERR_AMODE, "MPI_MODE_SEQUENTIAL is for files that are only read or only written");
    CHECK(file == MPI_FILE_NULL);
}

static void opens_that_fail(void)
{
    MPI_File file = MPI_FILE_NULL;
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, files_path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
                MPI_ERR_NO_SUCH_FILE, "No such file or directory");
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, "/tmp", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_BAD_FILE,
                "/tmp");
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, "", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_BAD_FILE, "is empty");
    CHECK_ERROR(MPI_File_open(MPI_COMM_NULL, files_path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_COMM,
                "MPI_COMM_NULL");
    CHECK(file == MPI_FILE_NULL);
    CHECK_ERROR(MPI_File_delete(files_path, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE, "MPI_File_delete: cannot remove");
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_ERROR(MPI_File_close(&file), MPI_ERR_FILE, "MPI_File_close: the file is MPI_FILE_NULL");
    CHECK_ERROR(MPI_File_sync(MPI_FILE_NULL), MPI_ERR_FILE, "MPI_File_sync: the file is MPI_FILE_NULL");
}

static void an_existing_file(void)
{
    MPI_File file = files_open(MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY);
    int amode = 0;
    CHECK_OK(MPI_File_get_amode(file, &amode));
    CHECK_EQUAL(amode, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY);
    CHECK_OK(MPI_File_close(&file));
    CHECK(file == MPI_FILE_NULL);
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, files_path, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR,
                              MPI_INFO_NULL, &file),
                MPI_ERR_FILE_EXISTS, files_path);
    file = files_open(MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN);
    CHECK_OK(MPI_File_close(&file));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(access(files_path, F_OK) != 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void what_a_mode_allows(void)
{
    char byte = 'x';
    MPI_File file = files_open(MPI_MODE_CREATE | MPI_MODE_WRONLY);
    CHECK_ERROR(MPI_File_read_at(file, 0, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE), MPI_ERR_ACCESS,
                "was not opened to be read");
    CHECK_OK(MPI_File_write_at(file, 0, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&file));
    file = files_open(MPI_MODE_RDONLY);
    CHECK_ERROR(MPI_File_write_at(file, 0, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY,
                "was not opened to be written");
    CHECK_ERROR(MPI_File_set_size(file, 0), MPI_ERR_READ_ONLY, "MPI_MODE_RDWR");
    CHECK_ERROR(MPI_File_preallocate(file, 0), MPI_ERR_READ_ONLY, "MPI_MODE_RDWR");
    CHECK_OK(MPI_File_read_at(file, 0, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&file));
    files_remove();
}

static void appended(void)
{
    MPI_Offset position = -1;
    MPI_File file = MPI_FILE_NULL;
    files_fill("12345", 5);
    file = files_open(MPI_MODE_WRONLY | MPI_MODE_APPEND);
    CHECK_OK(MPI_File_get_position(file, &position));
    CHECK_EQUAL(position, 5);
    CHECK_OK(MPI_File_get_position_shared(file, &position));
    CHECK_EQUAL(position, 5);
    CHECK_OK(MPI_File_close(&file));
    files_remove();
}

static void sizes(void)
{
    MPI_Offset size = -1;
    char byte = 1;
    MPI_File file = files_open(MPI_MODE_CREATE | MPI_MODE_RDWR);
    CHECK_OK(MPI_File_get_size(file, &size));
    CHECK_EQUAL(size, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_preallocate(file, 10000));
    CHECK_OK(MPI_File_get_size(file, &size));
    CHECK_EQUAL(size, 10000);
    CHECK_OK(MPI_File_preallocate(file, 10)); /* never shorter */
    CHECK_OK(MPI_File_get_size(file, &size));
    CHECK_EQUAL(size, 10000);
    CHECK_OK(MPI_File_set_size(file, 77));
    CHECK_OK(MPI_File_get_size(file, &size));
    CHECK_EQUAL(size, 77);
    CHECK_OK(MPI_File_read_at(file, 76, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_EQUAL(byte, 0);
    CHECK_ERROR(MPI_File_set_size(file, -1), MPI_ERR_ARG, "the size is -1");
    if (check_size() > 1) {
        CHECK_ERROR(MPI_File_set_size(file, check_rank() == 1 ? 5 : 6), MPI_ERR_NOT_SAME, "give all ranks the same");
        CHECK_ERROR(MPI_File_set_size(file, check_rank() == 1 ? -1 : 6), MPI_ERR_NOT_SAME, "rank 1 gives -1");
        CHECK_ERROR(MPI_File_preallocate(file, check_rank() == 0 ? -1 : 6), MPI_ERR_NOT_SAME,
                    "rank 0 gives -1");
        CHECK_OK(MPI_File_get_size(file, &size));
    }
    CHECK_OK(MPI_File_sync(file));
    CHECK_OK(MPI_File_close(&file));
    files_remove();
}

static void group_and_atomicity(void)
{
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group world = MPI_GROUP_NULL;
    int result = -1;
    int flag = -1;
    MPI_File file = files_open(MPI_MODE_CREATE | MPI_MODE_RDWR);
    CHECK_OK(MPI_File_get_group(file, &group));
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_OK(MPI_Group_compare(group, world, &result));
    CHECK_EQUAL(result, MPI_IDENT);
    CHECK_OK(MPI_Group_free(&group));
    CHECK_OK(MPI_Group_free(&world));
    CHECK_OK(MPI_File_get_atomicity(file, &flag));
    CHECK_EQUAL(flag, 0);
    CHECK_OK(MPI_File_set_atomicity(file, 1));
    CHECK_OK(MPI_File_get_atomicity(file, &flag));
    CHECK_EQUAL(flag, 1);
    CHECK_OK(MPI_File_set_atomicity(file, 0));
    CHECK_OK(MPI_File_get_atomicity(file, &flag));
    CHECK_EQUAL(flag, 0);
    CHECK_OK(MPI_File_close(&file));
    files_remove();
}

/* Files of a rank alone, and several at once. */
static void of_one_rank(void)
{
    MPI_File files[3];
    char path[600];
    int i = 0;
    for (i = 0; i < 3; ++i) {
        snprintf(path, sizeof path, "%s.%d.%d", files_path, check_rank(), i);
        CHECK_OK(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                               MPI_INFO_NULL, &files[i]));
        CHECK_OK(MPI_File_write(files[i], &i, 1, MPI_INT, MPI_STATUS_IGNORE));
    }
    for (i = 2; i >= 0; --i) {
        int got = -1;
        CHECK_OK(MPI_File_read_at(files[i], 0, &got, 1, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_EQUAL(got, i);
        CHECK_OK(MPI_File_close(&files[i]));
    }
    snprintf(path, sizeof path, "ufs:%s.%d", files_path, check_rank());
    CHECK_OK(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &files[0]));
    CHECK_OK(MPI_File_close(&files[0]));
    CHECK(access(path + 4, F_OK) == 0);
    CHECK_OK(MPI_File_delete(path, MPI_INFO_NULL));
    CHECK(access(path + 4, F_OK) != 0);
}

static void value_is(MPI_Info info, const char* key, const char* expected)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0;
    CHECK_OK(MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag));
    if (flag == 0 || strcmp(value, expected) != 0)
        fprintf(stderr, "%s is \"%s\", not \"%s\"\n", key, flag == 0 ? "(none)" : value, expected);
    CHECK(flag != 0 && strcmp(value, expected) == 0);
}

static void hints(void)
{
    MPI_File file = MPI_FILE_NULL;
    MPI_Info info = MPI_INFO_NULL;
    char value[8];
    int flag = -1;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "cb_buffer_size", "65536"));
    CHECK_OK(MPI_Info_set(info, "cb_nodes", "1"));
    CHECK_OK(MPI_Info_set(info, "romio_cb_write", "enable"));
    CHECK_OK(MPI_Info_set(info, "romio_cb_read", "perhaps")); /* no meaning */
    CHECK_OK(MPI_Info_set(info, "striping_unit", "-5"));      /* likewise */
    CHECK_OK(MPI_Info_set(info, "of_another_library", "1"));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, files_path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_File_get_info(file, &info));
    value_is(info, "cb_buffer_size", "65536");
    value_is(info, "cb_nodes", "1");
    value_is(info, "romio_cb_write", "enable");
    value_is(info, "romio_cb_read", "automatic");
    value_is(info, "romio_ds_write", "disable");
    value_is(info, "romio_no_indep_rw", "false");
    value_is(info, "striping_unit", "1048576");
    CHECK_OK(MPI_Info_get(info, "of_another_library", 7, value, &flag));
    CHECK_EQUAL(flag, 0);
    CHECK_OK(MPI_Info_set(info, "romio_cb_write", "disable"));
    CHECK_OK(MPI_Info_set(info, "cb_buffer_size", "4096"));
    CHECK_OK(MPI_File_set_info(file, info));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_File_get_info(file, &info));
    value_is(info, "cb_buffer_size", "4096");
    value_is(info, "romio_cb_write", "disable");
    CHECK_OK(MPI_Info_set(info, "romio_cb_read", "enable"));
    CHECK_OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", info));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_File_get_info(file, &info));
    value_is(info, "romio_cb_read", "enable");
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_File_close(&file));
    files_remove();
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    files_name("files");
    modes_that_exclude_each_other();
    opens_that_fail();
    an_existing_file();
    what_a_mode_allows();
    appended();
    sizes();
    group_and_atomicity();
    of_one_rank();
    hints();
    MPI_Finalize();
    return check_result();
}
