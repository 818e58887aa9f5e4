#include "lib/mpi/op.hpp"

#include <fmt/format.h>

#include <optional>

#include "lib/mpi/errors.hpp"

namespace tutti::mpi {

namespace {

// By handle - MPI_OP_NULL.
constexpr std::size_t kHandles = 32;
using BuiltInOps = std::array<std::optional<Op>, kHandles>;

const BuiltInOps& built_in_ops()
{
    static const BuiltInOps all = [] {
        BuiltInOps ops;
        const auto define = [&](MPI_Op handle, Op op) {
            ops[reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(MPI_OP_NULL)] =
                op;
        };
        define(MPI_SUM, Op::sum);
        define(MPI_MIN, Op::min);
        define(MPI_MAX, Op::max);
        define(MPI_PROD, Op::prod);
        define(MPI_BAND, Op::band);
        define(MPI_BOR, Op::bor);
        define(MPI_BXOR, Op::bxor);
        define(MPI_LAND, Op::land);
        define(MPI_LOR, Op::lor);
        define(MPI_LXOR, Op::lxor);
        define(MPI_MINLOC, Op::minloc);
        define(MPI_MAXLOC, Op::maxloc);
        return ops;
    }();
    return all;
}

}  // namespace

detail::Operator operator_of(MPI_Op op, const Datatype& type)
{
    const std::uintptr_t index =
        reinterpret_cast<std::uintptr_t>(op) - reinterpret_cast<std::uintptr_t>(MPI_OP_NULL);
    const std::optional<Op> built_in = index < kHandles ? built_in_ops()[index] : std::nullopt;
    if (!built_in)
        fail(MPI_ERR_OP, fmt::format("{} is no operator for reductions", fmt::ptr(op)));
    if (!type.number || !is_defined(*built_in, *type.number))
        fail(MPI_ERR_OP, fmt::format("the operator is not defined on {}",
                                     type.name.empty() ? "this datatype" : type.name));
    return {.op = *built_in, .type = *type.number, .user = {}};
}

}  // namespace tutti::mpi
