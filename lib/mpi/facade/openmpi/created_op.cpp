#include "lib/mpi/facade/openmpi/created_op.hpp"

#include <map>
#include <mutex>

#include "lib/mpi/facade/openmpi/handles.hpp"
#include "lib/mpi/facade/openmpi/other_languages.hpp"
#include "lib/mpi/op.hpp"

namespace tutti::mpi::facade {

namespace {

/// The latest operator that has a function tells the function's language.
struct CreatedOps {
    std::mutex mutex;
    std::map<std::uintptr_t, CreatedOp> by_operator;
    std::map<MPI_User_function*, const CreatedOp*> by_function;
};

// Never destroyed: operators are used after main.
CreatedOps& created_ops()
{
    static CreatedOps& all = *new CreatedOps;
    return all;
}

}  // namespace

CreatedOp& created_op(std::uintptr_t standard)
{
    CreatedOps& all = created_ops();
    const std::lock_guard lock(all.mutex);
    CreatedOp& op = all.by_operator[standard];
    op = {.standard = standard, .unused = {}, .flags = 0, .rest = {}};
    all.by_function[operator_of(reinterpret_cast<MPI_Op>(standard)).function.small] = &op;
    return op;
}

bool is_fortran_operator(MPI_User_function* function)
{
    CreatedOps& all = created_ops();
    const std::lock_guard lock(all.mutex);
    const auto found = all.by_function.find(function);
    return found != all.by_function.end() && (found->second->flags & CreatedOp::kIsFortran) != 0;
}

}  // namespace tutti::mpi::facade
