// MPI_Accumulate and its like: operations that change what a target has.
#include <fmt/format.h>

#include <optional>

#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/op/op.hpp"
#include "lib/mpi/rma/pair_elements.hpp"
#include "lib/mpi/rma/transfer_blocks.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using detail::Update;

// The type of all elements; none if there are several, or one that is no number's.
std::optional<DataType> only_element(const datatype::Signature& signature)
{
    if (!signature.list)
        return signature.elements * size_bytes(signature.type) == signature.bytes
                   ? std::optional(signature.type)
                   : std::nullopt;
    std::optional<DataType> found;
    for (const datatype::Signature& part : signature.list->parts) {
        if (part.elements == 0)
            continue;
        const std::optional<DataType> element = only_element(part);
        if (!element || (found && *found != *element))
            return std::nullopt;
        found = element;
    }
    return found;
}

std::optional<DataType> element_of(const Datatype& type)
{
    if (type.number) [[likely]]
        return type.number;
    const Datatype* const pair = only_pair(type);
    return pair != nullptr ? pair->number : only_element(type.map->signature());
}

// Of pairs that C puts gaps into: they are whole elements to operators.
template <class Part>
void take_whole_pairs(Part& part, const Datatype& type, MPI_Count count)
{
    if (type.map->is_contiguous()) [[likely]]
        return;
    const Datatype* const pair = only_pair(type);
    if (pair == nullptr || pair->map->is_contiguous())
        return;
    if (pair == &type) {
        part.size_bytes = static_cast<std::size_t>(count) * size_bytes(*pair->number);
        part.block.count = part.size_bytes;
        part.block.type = nullptr;
        return;
    }
    part.layout = with_gaps(type, *pair);
    part.size_bytes = static_cast<std::size_t>(count) * part.layout->size_bytes();
    part.block.count = static_cast<std::size_t>(count);
    part.block.type = part.layout.get();
}

OriginPart origin_elements(const void* address, MPI_Count count, MPI_Datatype datatype)
{
    OriginPart part = origin_part(address, count, datatype);
    take_whole_pairs(part, datatype_of(datatype), count);
    return part;
}

TargetPart target_elements(const Window& window, int rank, MPI_Aint displacement, MPI_Count count,
                           MPI_Datatype datatype)
{
    TargetPart part = target_part(window, rank, displacement, count, datatype);
    take_whole_pairs(part, datatype_of(datatype), count);
    return part;
}

constexpr const char* kOwnOperator = "the operator is a program's own; windows take predefined ones";

[[noreturn]] void refuse_update(const ReductionOp& op, const Datatype& type)
{
    if (!op.built_in)
        fail(MPI_ERR_OP, kOwnOperator);
    fail(MPI_ERR_OP, fmt::format("the operator is not defined on the elements of {}; they must be of one "
                                 "predefined type that it combines",
                                 type.name.empty() ? "the target's datatype" : type.name));
}

/// What the operator does with elements of the target's datatype. Throws Failure where it is not defined.
Update update_of(MPI_Op handle, MPI_Datatype datatype)
{
    const ReductionOp& op = operator_of(handle);
    const Datatype& type = datatype_of(datatype);
    const std::optional<DataType> element = element_of(type);
    if (handle == MPI_REPLACE || handle == MPI_NO_OP)
        return {handle == MPI_REPLACE ? Update::Kind::replace : Update::Kind::no_op, Op::sum,
                element.value_or(DataType::uint8)};
    if (!op.built_in || !element || !is_defined(*op.built_in, *element)) [[unlikely]]
        refuse_update(op, type);
    return {Update::Kind::reduce, *op.built_in, *element};
}

bool has_no_elements(MPI_Count count, MPI_Datatype datatype)
{
    return count == 0 || datatype_of(datatype).map->size_bytes() == 0;
}

// Where nobody has elements, their types do not matter.
Update update_of_nothing(MPI_Op handle)
{
    if (handle == MPI_NO_OP)
        return {Update::Kind::no_op, Op::sum, DataType::uint8};
    if (handle != MPI_REPLACE && !operator_of(handle).built_in) [[unlikely]]
        fail(MPI_ERR_OP, kOwnOperator);
    return {Update::Kind::replace, Op::sum, DataType::uint8};
}

// The operands of an operator must be of one type.
void check_elements(const Update& update, MPI_Datatype origin)
{
    if (update.kind == Update::Kind::reduce && element_of(datatype_of(origin)) != update.element) [[unlikely]]
        fail(MPI_ERR_TYPE, "the elements of the origin's datatype are not of the type of the target's");
}

// Of an origin that has less than the target.
void check_whole(const Update& update, std::size_t bytes)
{
    if (bytes % size_bytes(update.element) != 0)
        fail(MPI_ERR_TYPE, fmt::format("the origin's {} bytes are no whole elements of the target's", bytes));
}

void accumulate_on(const Window& window, const void* origin_addr, MPI_Count origin_count,
                   MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                   MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                   detail::RequestState** state)
{
    if (op == MPI_NO_OP)
        fail(MPI_ERR_OP, "MPI_NO_OP is for calls that fetch what the target has");
    const bool nothing =
        has_no_elements(origin_count, origin_datatype) && has_no_elements(target_count, target_datatype);
    const Update update = nothing ? update_of_nothing(op) : update_of(op, target_datatype);
    check_elements(update, origin_datatype);
    if (!is_target(window, target_rank))
        return check_fits({"origin", bytes_of_nobody(origin_count, origin_datatype)},
                          {"target", bytes_of_nobody(target_count, target_datatype)});
    const OriginPart origin = origin_elements(origin_addr, origin_count, origin_datatype);
    const TargetPart target =
        target_elements(window, target_rank, target_disp, target_count, target_datatype);
    const std::size_t bytes = origin.size_bytes;
    check_fits({"origin", bytes}, {"target", target.size_bytes});
    if (bytes == target.size_bytes) [[likely]]
        return check(window.state->accumulate(origin.block, target.block, update, state));
    check_whole(update, bytes);
    check(window.state->accumulate(origin.block, cut(target.block, 0, bytes).block, update, state));
}

void get_accumulate_on(const Window& window, const void* origin_addr, MPI_Count origin_count,
                       MPI_Datatype origin_datatype, void* result_addr, MPI_Count result_count,
                       MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                       MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                       detail::RequestState** state)
{
    const bool nothing = has_no_elements(result_count, result_datatype) &&
                         has_no_elements(target_count, target_datatype) &&
                         (op == MPI_NO_OP || has_no_elements(origin_count, origin_datatype));
    const Update update = nothing ? update_of_nothing(op) : update_of(op, target_datatype);
    if (update.kind != Update::Kind::no_op)
        check_elements(update, origin_datatype);
    if (!is_target(window, target_rank)) {
        const Side target{"target", bytes_of_nobody(target_count, target_datatype)};
        check_fits(target, {"result", bytes_of_nobody(result_count, result_datatype)});
        if (update.kind != Update::Kind::no_op)
            check_fits({"origin", bytes_of_nobody(origin_count, origin_datatype)}, target);
        return;
    }
    const OriginPart result = origin_elements(result_addr, result_count, result_datatype);
    const TargetPart target =
        target_elements(window, target_rank, target_disp, target_count, target_datatype);
    const std::size_t bytes = target.size_bytes;
    check_fits({"target", bytes}, {"result", result.size_bytes});
    OriginPart origin{};
    std::size_t updated = bytes;
    if (update.kind != Update::Kind::no_op) {
        origin = origin_elements(origin_addr, origin_count, origin_datatype);
        updated = origin.size_bytes;
        check_fits({"origin", updated}, {"target", bytes});
    }
    if (updated == bytes && bytes == result.size_bytes) [[likely]]
        return check(window.state->get_accumulate(origin.block, result.block, target.block, update, state));
    check_whole(update, updated);
    check(window.state->get_accumulate(origin.block, cut(result.block, 0, updated).block,
                                       cut(target.block, 0, updated).block, update, state));
    if (updated != bytes)
        // The request is complete with the last of the two.
        check(window.state->get_accumulate({}, cut(result.block, updated, bytes).block,
                                           cut(target.block, updated, bytes).block,
                                           {Update::Kind::no_op, Op::sum, update.element}, state));
}

/// `begin` gets the window and, if there is to be a request, where its state goes.
template <class Begin>
int update_in(const char* call, MPI_Win win, int target_rank, bool has_request, MPI_Request* request,
              Begin&& begin)
{
    return guard(call, win, [&] {
        const Window& window = window_of(win);
        if (has_request) {
            check_not_null(request, "request");
            check_may_have_request(window, target_rank);
        }
        detail::RequestState* state = nullptr;
        begin(window, has_request ? &state : nullptr);
        if (has_request)
            *request = begun_on_window(window, state);
    });
}

// Operations on one element take predefined types.
const Datatype& element_type(MPI_Datatype datatype)
{
    const Datatype& type = committed_type(datatype);
    if (!is_predefined(type)) [[unlikely]]
        fail(MPI_ERR_TYPE, "the datatype is a derived one; this call takes predefined ones");
    return type;
}

void check_displacement(const Window& window, MPI_Aint displacement)
{
    if (displacement < 0 && window.state->flavor() != detail::WindowFlavor::dynamic) [[unlikely]]
        refuse_displacement(displacement);
}

// Whether the type has values that compare bit by bit: integers, logical values and bytes.
bool is_comparable(const Datatype& type) noexcept
{
    return type.number && *type.number <= DataType::uint64;
}

}  // namespace

int accumulate(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
               MPI_Win win)
{
    return update_in("MPI_Accumulate", win, target_rank, false, nullptr,
                     [&](const Window& window, detail::RequestState** state) {
                         accumulate_on(window, origin_addr, origin_count, origin_datatype, target_rank,
                                       target_disp, target_count, target_datatype, op, state);
                     });
}

int raccumulate(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
                MPI_Op op, MPI_Win win, MPI_Request* request)
{
    return update_in("MPI_Raccumulate", win, target_rank, true, request,
                     [&](const Window& window, detail::RequestState** state) {
                         accumulate_on(window, origin_addr, origin_count, origin_datatype, target_rank,
                                       target_disp, target_count, target_datatype, op, state);
                     });
}

int get_accumulate(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                   void* result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank,
                   MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                   MPI_Win win)
{
    return update_in("MPI_Get_accumulate", win, target_rank, false, nullptr,
                     [&](const Window& window, detail::RequestState** state) {
                         get_accumulate_on(window, origin_addr, origin_count, origin_datatype, result_addr,
                                           result_count, result_datatype, target_rank, target_disp,
                                           target_count, target_datatype, op, state);
                     });
}

int rget_accumulate(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                    void* result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank,
                    MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                    MPI_Win win, MPI_Request* request)
{
    return update_in("MPI_Rget_accumulate", win, target_rank, true, request,
                     [&](const Window& window, detail::RequestState** state) {
                         get_accumulate_on(window, origin_addr, origin_count, origin_datatype, result_addr,
                                           result_count, result_datatype, target_rank, target_disp,
                                           target_count, target_datatype, op, state);
                     });
}

int fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank,
                 MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
    return guard("MPI_Fetch_and_op", win, [&] {
        const Window& window = window_of(win);
        const Datatype& type = element_type(datatype);
        const Update update = update_of(op, datatype);
        if (!is_target(window, target_rank))
            return;
        check_not_null(result_addr, "result_addr");
        if (update.kind != Update::Kind::no_op)
            check_not_null(origin_addr, "origin_addr");
        check_displacement(window, target_disp);
        if (type.number) [[likely]]
            check(window.state->fetch_and_op(static_cast<const std::byte*>(origin_addr),
                                             static_cast<std::byte*>(result_addr), target_rank, target_disp,
                                             update));
        else
            get_accumulate_on(window, origin_addr, 1, datatype, result_addr, 1, datatype, target_rank,
                              target_disp, 1, datatype, op, nullptr);
    });
}

int compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr,
                     MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win)
{
    return guard("MPI_Compare_and_swap", win, [&] {
        const Window& window = window_of(win);
        const Datatype& type = element_type(datatype);
        if (!is_comparable(type))
            fail(MPI_ERR_TYPE,
                 fmt::format("{} cannot be compared; this call takes integers, logical values and bytes",
                             type.name));
        if (!is_target(window, target_rank))
            return;
        check_not_null(origin_addr, "origin_addr");
        check_not_null(compare_addr, "compare_addr");
        check_not_null(result_addr, "result_addr");
        check_displacement(window, target_disp);
        check(window.state->compare_and_swap(
            static_cast<const std::byte*>(origin_addr), static_cast<const std::byte*>(compare_addr),
            static_cast<std::byte*>(result_addr), size_bytes(*type.number), target_rank, target_disp));
    });
}

}  // namespace tutti::mpi
