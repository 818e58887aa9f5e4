#include "lib/mpi/op/op.hpp"

#include <fmt/format.h>

#include <mutex>

#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

void define_operator(MPI_Op handle, std::optional<Op> op, bool commutes = true)
{
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    ReductionOp::predefined[value - ReductionOp::kFirst] = new ReductionOp(value, op, commutes);
}

}  // namespace

void define_operators()
{
    static std::once_flag once;
    std::call_once(once, [] {
        define_operator(MPI_SUM, Op::sum);
        define_operator(MPI_MIN, Op::min);
        define_operator(MPI_MAX, Op::max);
        define_operator(MPI_PROD, Op::prod);
        define_operator(MPI_BAND, Op::band);
        define_operator(MPI_BOR, Op::bor);
        define_operator(MPI_BXOR, Op::bxor);
        define_operator(MPI_LAND, Op::land);
        define_operator(MPI_LOR, Op::lor);
        define_operator(MPI_LXOR, Op::lxor);
        define_operator(MPI_MINLOC, Op::minloc);
        define_operator(MPI_MAXLOC, Op::maxloc);
        define_operator(MPI_REPLACE, std::nullopt, false);
        define_operator(MPI_NO_OP, std::nullopt, false);
    });
}

ReductionOp& operator_of(MPI_Op handle)
{
    ReductionOp* const found = find<ReductionOp>(handle);
    if (found != nullptr) [[likely]]
        return *found;
    if (handle == MPI_OP_NULL)
        fail(MPI_ERR_OP, "the operator is MPI_OP_NULL");
    fail(MPI_ERR_OP, fmt::format("{} is no operator, or one that was freed", fmt::ptr(handle)));
}

int op_create(UserFunction user_fn, int commute, MPI_Op* op)
{
    return guard_result("MPI_Op_create", op, "op", [&] {
        if (user_fn.small == nullptr && user_fn.large == nullptr)
            fail(MPI_ERR_ARG, "the function is a null pointer");
        return handle_of(*new ReductionOp(user_fn, commute != 0));
    });
}

int op_free(MPI_Op* op)
{
    return guard("MPI_Op_free", [&] {
        check_not_null(op, "op");
        const ReductionOp& found = operator_of(*op);
        if (is_predefined(found))
            fail(MPI_ERR_OP, "the operator is a predefined one; only a program's own are freed");
        found.free_handle();
        *op = MPI_OP_NULL;
    });
}

int op_commutative(MPI_Op op, int* commute)
{
    return guard_result("MPI_Op_commutative", commute, "commute",
                        [&] { return operator_of(op).commutative; });
}

}  // namespace tutti::mpi
