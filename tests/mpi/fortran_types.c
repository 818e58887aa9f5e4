/* What a Fortran binding tells the library of its compiler. */
#include "check.h"

static const char* value_of(MPI_Info info, const char* key)
{
    static char value[MPI_MAX_INFO_VAL];
    int size = MPI_MAX_INFO_VAL, flag = 0;
    CHECK_OK(MPI_Info_get_string(info, key, &size, value, &flag));
    return flag ? value : "";
}

/* Once, by the first binding. */
static void before_init(void)
{
    const int truth = 1, lie = 0;
    MPI_Info info = MPI_INFO_NULL, fortran = MPI_INFO_NULL;
    CHECK_OK(MPI_Abi_get_fortran_info(&fortran));
    CHECK(fortran == MPI_INFO_NULL);
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "mpi_integer_size", "4"));
    CHECK_OK(MPI_Info_set(info, "mpi_double_precision_size", "8"));
    CHECK_OK(MPI_Info_set(info, "mpi_integer8_supported", "true"));
    CHECK_OK(MPI_Info_set(info, "mpi_real16_supported", "false"));
    CHECK_OK(MPI_Info_set(info, "mpi_complex32_supported", "false"));
    CHECK_OK(MPI_Info_set(info, "mpi_character_size", "1")); /* MPICH's */
    CHECK_OK(MPI_Abi_set_fortran_info(info));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Abi_set_fortran_booleans(4, (void*)&truth, (void*)&lie));
}

static void later(void)
{
    MPI_Info fortran = MPI_INFO_NULL;
    MPI_Count wide = -1;
    int truth = 1, lie = 0, got_truth = -1, got_lie = -1, is_set = -1, size = -1;
    CHECK_OK(MPI_Abi_get_fortran_info(&fortran));
    CHECK(strcmp(value_of(fortran, "mpi_integer_size"), "4") == 0);
    CHECK(strcmp(value_of(fortran, "mpi_real16_supported"), "false") == 0);
    /* A second binding learns that it is not the first, also with the same values. */
    CHECK_ERROR(MPI_Abi_set_fortran_info(fortran), MPI_ERR_ABI, "MPI_Abi_get_fortran_info has them");
    CHECK_OK(MPI_Info_free(&fortran));
    CHECK_ERROR(MPI_Abi_set_fortran_info(MPI_INFO_NULL), MPI_ERR_INFO, "MPI_INFO_NULL");
    CHECK_OK(MPI_Type_size(MPI_REAL16, &size));
    CHECK_EQUAL(size, MPI_UNDEFINED);
    CHECK_OK(MPI_Type_size_c(MPI_COMPLEX32, &wide));
    CHECK_EQUAL(wide, MPI_UNDEFINED);
    CHECK_OK(MPI_Type_size(MPI_INTEGER8, &size));
    CHECK_EQUAL(size, 8);
    CHECK_OK(MPI_Type_size(MPI_INTEGER16, &size)); /* nothing was said of it */
    CHECK_EQUAL(size, 16);

    CHECK_OK(MPI_Abi_get_fortran_booleans(4, &got_truth, &got_lie, &is_set));
    CHECK(is_set && got_truth == 1 && got_lie == 0);
    CHECK_OK(MPI_Abi_get_fortran_booleans(8, NULL, NULL, &is_set));
    CHECK(!is_set);
    CHECK_ERROR(MPI_Abi_set_fortran_booleans(3, &truth, &lie), MPI_ERR_ARG, "a LOGICAL of 3 bytes");
    CHECK_ERROR(MPI_Abi_set_fortran_booleans(4, NULL, &lie), MPI_ERR_ARG, "null pointer");
    CHECK_ERROR(MPI_Abi_set_fortran_booleans(4, &truth, &lie), MPI_ERR_ABI,
                "MPI_Abi_get_fortran_booleans has them");
}

int main(int argc, char** argv)
{
    before_init();
    MPI_Init(&argc, &argv);
    check_errors_return();
    later();
    MPI_Finalize();
    return check_result();
}
