/* Operators: the built-in ones on all types, and those of programs, through MPI_Reduce_local. */
#include <complex.h>
#include <limits.h>
#include <stdint.h>

#include "check.h"

/* `op` on two elements of a type gives the third. */
#define LOCAL(Type, type, op, left, right, expected)                \
    do {                                                            \
        Type in_[3] = {(left), (left), (left)};                     \
        Type inout_[3] = {(right), (right), (right)};               \
        CHECK_OK(MPI_Reduce_local(in_, inout_, 2, (type), (op)));   \
        CHECK(inout_[0] == (Type)(expected));                       \
        CHECK(inout_[1] == (Type)(expected));                       \
        CHECK(inout_[2] == (Type)(right));                          \
    } while (0)

#define ORDERED(Type, type)                   \
    do {                                      \
        LOCAL(Type, type, MPI_SUM, 6, 3, 9);  \
        LOCAL(Type, type, MPI_PROD, 6, 3, 18); \
        LOCAL(Type, type, MPI_MAX, 6, 3, 6);  \
        LOCAL(Type, type, MPI_MIN, 6, 3, 3);  \
    } while (0)

#define LOGICAL(Type, type)                   \
    do {                                      \
        LOCAL(Type, type, MPI_LAND, 6, 3, 1); \
        LOCAL(Type, type, MPI_LAND, 6, 0, 0); \
        LOCAL(Type, type, MPI_LOR, 0, 3, 1);  \
        LOCAL(Type, type, MPI_LXOR, 6, 3, 0); \
    } while (0)

#define BITWISE(Type, type)                   \
    do {                                      \
        LOCAL(Type, type, MPI_BAND, 6, 3, 2); \
        LOCAL(Type, type, MPI_BOR, 6, 3, 7);  \
        LOCAL(Type, type, MPI_BXOR, 6, 3, 5); \
    } while (0)

#define INTEGER(Type, type)   \
    do {                      \
        ORDERED(Type, type);  \
        LOGICAL(Type, type);  \
        BITWISE(Type, type);  \
    } while (0)

#define COMPLEX(Type, type)                                          \
    do {                                                             \
        LOCAL(Type, type, MPI_SUM, 1 + 2 * I, 3 - I, 4 + I);         \
        LOCAL(Type, type, MPI_PROD, 1 + 2 * I, 3 - I, 5 + 5 * I);    \
        CHECK_ERROR(MPI_Reduce_local(&zero, &zero, 0, type, MPI_MAX), MPI_ERR_OP, "not defined"); \
    } while (0)

static void integers(void)
{
    INTEGER(signed char, MPI_SIGNED_CHAR);
    INTEGER(unsigned char, MPI_UNSIGNED_CHAR);
    INTEGER(short, MPI_SHORT);
    INTEGER(unsigned short, MPI_UNSIGNED_SHORT);
    INTEGER(int, MPI_INT);
    INTEGER(unsigned, MPI_UNSIGNED);
    INTEGER(long, MPI_LONG);
    INTEGER(unsigned long, MPI_UNSIGNED_LONG);
    INTEGER(long long, MPI_LONG_LONG);
    INTEGER(unsigned long long, MPI_UNSIGNED_LONG_LONG);
    INTEGER(int8_t, MPI_INT8_T);
    INTEGER(uint8_t, MPI_UINT8_T);
    INTEGER(int16_t, MPI_INT16_T);
    INTEGER(uint16_t, MPI_UINT16_T);
    INTEGER(int32_t, MPI_INT32_T);
    INTEGER(uint32_t, MPI_UINT32_T);
    INTEGER(int64_t, MPI_INT64_T);
    INTEGER(uint64_t, MPI_UINT64_T);
    INTEGER(MPI_Aint, MPI_AINT);
    INTEGER(MPI_Offset, MPI_OFFSET);
    INTEGER(MPI_Count, MPI_COUNT);
    INTEGER(int32_t, MPI_INTEGER);
    INTEGER(int8_t, MPI_INTEGER1);
    INTEGER(int16_t, MPI_INTEGER2);
    INTEGER(int32_t, MPI_INTEGER4);
    INTEGER(int64_t, MPI_INTEGER8);
    LOGICAL(int32_t, MPI_LOGICAL);
    BITWISE(unsigned char, MPI_BYTE);
    LOCAL(_Bool, MPI_C_BOOL, MPI_LAND, 1, 0, 0);
    LOCAL(_Bool, MPI_C_BOOL, MPI_LOR, 1, 0, 1);
    LOCAL(_Bool, MPI_C_BOOL, MPI_LXOR, 1, 1, 0);
    LOCAL(uint8_t, MPI_UINT8_T, MPI_MAX, 200, 100, 200);
    LOCAL(int, MPI_INT, MPI_MIN, INT_MIN, INT_MAX, INT_MIN);
}

static void reals(void)
{
    double zero = 0;
    ORDERED(float, MPI_FLOAT);
    ORDERED(double, MPI_DOUBLE);
    ORDERED(long double, MPI_LONG_DOUBLE);
    ORDERED(float, MPI_REAL);
    ORDERED(double, MPI_DOUBLE_PRECISION);
    ORDERED(float, MPI_REAL4);
    ORDERED(double, MPI_REAL8);
    COMPLEX(float complex, MPI_C_FLOAT_COMPLEX);
    COMPLEX(double complex, MPI_C_DOUBLE_COMPLEX);
    COMPLEX(long double complex, MPI_C_LONG_DOUBLE_COMPLEX);
    COMPLEX(float complex, MPI_COMPLEX);
    COMPLEX(double complex, MPI_DOUBLE_COMPLEX);
    COMPLEX(float complex, MPI_COMPLEX8);
    COMPLEX(double complex, MPI_COMPLEX16);
    CHECK_ERROR(MPI_Reduce_local(&zero, &zero, 1, MPI_DOUBLE, MPI_BOR), MPI_ERR_OP, "not defined on MPI_DOUBLE");
    CHECK_ERROR(MPI_Reduce_local(&zero, &zero, 1, MPI_DOUBLE, MPI_MAXLOC), MPI_ERR_OP, "not defined");
}

static void wide_numbers(void)
{
    double zero = 0;
#ifdef __SIZEOF_INT128__
    __extension__ typedef __int128 Integer16;
    INTEGER(Integer16, MPI_INTEGER16);
    LOGICAL(Integer16, MPI_LOGICAL16);
    LOCAL(Integer16, MPI_INTEGER16, MPI_PROD, (Integer16)1 << 70, -8, -((Integer16)1 << 73));
#endif
#ifdef __SIZEOF_FLOAT128__
    typedef _Complex float Complex32 __attribute__((mode(TC)));
    ORDERED(__float128, MPI_REAL16);
    COMPLEX(Complex32, MPI_COMPLEX32);
#endif
    {
        /* Halves: 1 + 2i, 3 - i, their sum 4 + i and product 5 + 5i. */
        uint16_t in[2] = {0x3c00, 0x4000}, inout[2] = {0x4200, 0xbc00};
        CHECK_OK(MPI_Reduce_local(in, inout, 1, MPI_COMPLEX4, MPI_SUM));
        CHECK(inout[0] == 0x4400 && inout[1] == 0x3c00);
        inout[0] = 0x4200;
        inout[1] = 0xbc00;
        CHECK_OK(MPI_Reduce_local(in, inout, 1, MPI_COMPLEX4, MPI_PROD));
        CHECK(inout[0] == 0x4500 && inout[1] == 0x4500);
    }
    CHECK_ERROR(MPI_Reduce_local(&zero, &zero, 0, MPI_REAL16, MPI_BAND), MPI_ERR_OP, "not defined on MPI_REAL16");
}

#define PAIR(Value, Index, type)                                               \
    do {                                                                       \
        struct {                                                               \
            Value value;                                                       \
            Index index;                                                       \
        } in_ = {7, 2}, inout_ = {5, 1};                                       \
        CHECK_OK(MPI_Reduce_local(&in_, &inout_, 1, type, MPI_MAXLOC));        \
        CHECK(inout_.value == 7 && inout_.index == 2);                         \
        in_.index = 1; /* equal values: the lower index */                     \
        CHECK_OK(MPI_Reduce_local(&in_, &inout_, 1, type, MPI_MAXLOC));        \
        CHECK(inout_.value == 7 && inout_.index == 1);                         \
        in_.value = -3;                                                        \
        in_.index = 4;                                                         \
        CHECK_OK(MPI_Reduce_local(&in_, &inout_, 1, type, MPI_MINLOC));        \
        CHECK(inout_.value == -3 && inout_.index == 4);                        \
    } while (0)

static void pairs(void)
{
    PAIR(float, int, MPI_FLOAT_INT);
    PAIR(double, int, MPI_DOUBLE_INT);
    PAIR(long, int, MPI_LONG_INT);
    PAIR(int, int, MPI_2INT);
    PAIR(short, int, MPI_SHORT_INT);
    PAIR(long double, int, MPI_LONG_DOUBLE_INT);
    PAIR(int, int, MPI_2INTEGER);
    PAIR(float, float, MPI_2REAL);
    PAIR(double, double, MPI_2DOUBLE_PRECISION);
}

static void subtract(void* in, void* inout, int* length, MPI_Datatype* type)
{
    int i;
    CHECK(*type == MPI_INT);
    for (i = 0; i < *length; ++i)
        ((int*)inout)[i] = ((int*)in)[i] - ((int*)inout)[i];
}

static void subtract_c(void* in, void* inout, MPI_Count* length, MPI_Datatype* type)
{
    int count = (int)*length;
    subtract(in, inout, &count, type);
}

static void users(void)
{
    MPI_Op op, op_c, freed;
    int commutes = -1, number = 3;
    CHECK_OK(MPI_Op_create(subtract, 0, &op));
    CHECK_OK(MPI_Op_create_c(subtract_c, 1, &op_c));
    LOCAL(int, MPI_INT, op, 10, 4, 6);
    LOCAL(int, MPI_INT, op_c, 10, 4, 6);
    CHECK_OK(MPI_Op_commutative(op, &commutes));
    CHECK_EQUAL(commutes, 0);
    CHECK_OK(MPI_Op_commutative(op_c, &commutes));
    CHECK_EQUAL(commutes, 1);
    CHECK_OK(MPI_Op_commutative(MPI_MINLOC, &commutes));
    CHECK_EQUAL(commutes, 1);
    CHECK_OK(MPI_Reduce_local_c(&number, &number, 0, MPI_INT, op));
    CHECK_EQUAL(number, 3);
    freed = op;
    CHECK_OK(MPI_Op_free(&op));
    CHECK(op == MPI_OP_NULL);
    CHECK_OK(MPI_Op_free(&op_c));
    CHECK_ERROR(MPI_Op_free(&op), MPI_ERR_OP, "MPI_OP_NULL");
    CHECK_ERROR(MPI_Op_free(&freed), MPI_ERR_OP, "freed");
    freed = MPI_SUM;
    CHECK_ERROR(MPI_Op_free(&freed), MPI_ERR_OP, "predefined");
    CHECK_ERROR(MPI_Op_create(NULL, 0, &op), MPI_ERR_ARG, "null pointer");
    CHECK_ERROR(MPI_Op_create(subtract, 0, NULL), MPI_ERR_ARG, "op is a null pointer");
    CHECK_ERROR(MPI_Reduce_local(&number, &number, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT, "-1");
    CHECK_ERROR(MPI_Reduce_local(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER, "MPI_IN_PLACE");
    CHECK_ERROR(MPI_Reduce_local(&number, &number, 1, MPI_INT, MPI_REPLACE), MPI_ERR_OP, "MPI_REPLACE");
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    integers();
    reals();
    wide_numbers();
    pairs();
    users();
    MPI_Finalize();
    return check_result();
}
