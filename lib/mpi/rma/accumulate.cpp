// MPI_Accumulate and its like: operations that change what a target has.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "lib/core/requests/request_access.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/runtime.hpp"
#include "lib/mpi/op/op.hpp"
#include "lib/mpi/rma/pair_elements.hpp"
#include "lib/mpi/rma/transfer_blocks.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using detail::RequestState;
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

/// What a datatype is made of.
struct Elements {
    const Datatype& type;
    const Datatype* pair;  // the predefined pair, if all are pairs; or the type itself, if it is predefined

    explicit Elements(MPI_Datatype datatype)
        : type(datatype_of(datatype)), pair(type.number ? &type : only_pair(type))
    {
    }
    /// The type of all elements; none if there are several.
    std::optional<DataType> number() const
    {
        return pair != nullptr ? pair->number : only_element(type.map->signature());
    }
};

// Pairs that C puts gaps into are whole elements to operators.
template <class Part>
void take_whole_pairs(Part& part, const Elements& elements, MPI_Count count)
{
    const auto& [type, pair] = elements;
    if (type.map->is_contiguous() || pair == nullptr || pair->map->is_contiguous()) [[likely]]
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

OriginPart whole_part_of(const OriginArguments& origin, const Elements& elements)
{
    OriginPart part = part_of(origin);
    take_whole_pairs(part, elements, origin.count);
    return part;
}

TargetPart whole_part_of(const Window& window, const TargetArguments& target, const Elements& elements)
{
    TargetPart part = part_of(window, target);
    take_whole_pairs(part, elements, target.count);
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

/// What the operator does with elements of a target. Throws Failure where it is not defined.
Update update_of(MPI_Op handle, const Elements& target)
{
    const ReductionOp& op = operator_of(handle);
    const std::optional<DataType> number = target.number();
    if (handle == MPI_REPLACE || handle == MPI_NO_OP)
        return {handle == MPI_REPLACE ? Update::Kind::replace : Update::Kind::no_op, Op::sum,
                number.value_or(DataType::uint8)};
    if (!op.built_in || !number || !is_defined(*op.built_in, *number)) [[unlikely]]
        refuse_update(op, target.type);
    return {Update::Kind::reduce, *op.built_in, *number};
}

template <class Arguments>
bool has_no_elements(const Arguments& arguments)
{
    return arguments.count == 0 || datatype_of(arguments.datatype).map->size_bytes() == 0;
}

// Where no side has elements, their types do not matter.
Update update_of_nothing(MPI_Op handle)
{
    if (handle == MPI_NO_OP)
        return {Update::Kind::no_op, Op::sum, DataType::uint8};
    if (handle != MPI_REPLACE && !operator_of(handle).built_in) [[unlikely]]
        fail(MPI_ERR_OP, kOwnOperator);
    return {Update::Kind::replace, Op::sum, DataType::uint8};
}

// The operands of an operator must be of one type.
void check_elements(const Update& update, const Elements& origin)
{
    if (update.kind == Update::Kind::reduce && origin.number() != update.element) [[unlikely]]
        fail(MPI_ERR_TYPE, "the elements of the origin's datatype are not of the type of the target's");
}

// Of an origin that has less than the target.
void check_whole(const Update& update, std::size_t bytes)
{
    if (bytes % size_bytes(update.element) != 0)
        fail(MPI_ERR_TYPE, fmt::format("the origin's {} bytes are no whole elements of the target's", bytes));
}

void accumulate_on(const Window& window, const OriginArguments& origin_given,
                   const TargetArguments& target_given, MPI_Op op, RequestState** begun)
{
    if (op == MPI_NO_OP)
        fail(MPI_ERR_OP, "MPI_NO_OP is for calls that fetch what the target has");
    const Elements origin_elements(origin_given.datatype);
    const Elements target_elements(target_given.datatype);
    const Update update = has_no_elements(origin_given) && has_no_elements(target_given)
                              ? update_of_nothing(op)
                              : update_of(op, target_elements);
    check_elements(update, origin_elements);
    if (!is_target(window, target_given.rank))
        return check_fits({"origin", bytes_without_memory(origin_given)},
                          {"target", bytes_without_memory(target_given)});
    const OriginPart origin = whole_part_of(origin_given, origin_elements);
    const TargetPart target = whole_part_of(window, target_given, target_elements);
    const std::size_t bytes = origin.size_bytes;
    check_fits({"origin", bytes}, {"target", target.size_bytes});
    if (bytes == target.size_bytes) [[likely]]
        return window.state->accumulate(origin.block, target.block, update, begun);
    check_whole(update, bytes);
    window.state->accumulate(origin.block, cut(target, 0, bytes).block, update, begun);
}

void await(RequestState* begun)
{
    if (begun == nullptr)
        return;
    auto lock = Runtime::process().engine().lock();
    Request request = RequestAccess::active(*begun);
    lock.unlock();
    request.wait();
}

// The result has room for all of the target's elements, of which the origin may change fewer.
void fetch_and_update(const Window& window, const OriginPart& origin, const OriginPart& result,
                      const TargetPart& target, const Update& update, RequestState** begun)
{
    const std::size_t fetched = target.size_bytes;
    const std::size_t updated = update.kind == Update::Kind::no_op ? fetched : origin.size_bytes;
    check_fits({"target", fetched}, {"result", result.size_bytes});
    check_fits({"origin", updated}, {"target", fetched});
    if (updated == fetched && fetched == result.size_bytes) [[likely]]
        return window.state->get_accumulate(origin.block, result.block, target.block, update, begun);
    check_whole(update, updated);
    window.state->get_accumulate(origin.block, cut(result, 0, updated).block, cut(target, 0, updated).block,
                                 update, begun);
    if (updated == fetched)
        return;
    if (begun != nullptr)
        await(std::exchange(*begun, nullptr));  // one request stands for one operation
    window.state->get_accumulate({}, cut(result, updated, fetched).block, cut(target, updated, fetched).block,
                                 {Update::Kind::no_op, Op::sum, update.element}, begun);
}

void get_accumulate_on(const Window& window, const OriginArguments& origin_given,
                       const OriginArguments& result_given, const TargetArguments& target_given, MPI_Op op,
                       RequestState** begun)
{
    const bool reads = op != MPI_NO_OP;
    const Elements target_elements(target_given.datatype);
    const bool nothing = has_no_elements(result_given) && has_no_elements(target_given) &&
                         (!reads || has_no_elements(origin_given));
    const Update update = nothing ? update_of_nothing(op) : update_of(op, target_elements);
    // With MPI_NO_OP the origin does not matter, not even its datatype.
    const Elements origin_elements(reads ? origin_given.datatype : target_given.datatype);
    check_elements(update, origin_elements);
    if (!is_target(window, target_given.rank)) {
        const Side target{"target", bytes_without_memory(target_given)};
        check_fits(target, {"result", bytes_without_memory(result_given)});
        if (reads)
            check_fits({"origin", bytes_without_memory(origin_given)}, target);
        return;
    }
    const OriginPart result = whole_part_of(result_given, Elements(result_given.datatype));
    const TargetPart target = whole_part_of(window, target_given, target_elements);
    const OriginPart origin = reads ? whole_part_of(origin_given, origin_elements) : OriginPart{};
    fetch_and_update(window, origin, result, target, update, begun);
}

// Operations on one element take predefined types.
const Datatype& element_type(MPI_Datatype datatype)
{
    const Datatype& type = committed_type(datatype);
    if (!is_predefined(type)) [[unlikely]]
        fail(MPI_ERR_TYPE, "the datatype is a derived one; this call takes predefined ones");
    return type;
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
    return operation("MPI_Accumulate", win, target_rank, false, nullptr,
                     [&](const Window& window, RequestState** begun) {
                         accumulate_on(window, {origin_addr, origin_count, origin_datatype},
                                       {target_rank, target_disp, target_count, target_datatype}, op, begun);
                     });
}

int raccumulate(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
                MPI_Op op, MPI_Win win, MPI_Request* request)
{
    return operation("MPI_Raccumulate", win, target_rank, true, request,
                     [&](const Window& window, RequestState** begun) {
                         accumulate_on(window, {origin_addr, origin_count, origin_datatype},
                                       {target_rank, target_disp, target_count, target_datatype}, op, begun);
                     });
}

int get_accumulate(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                   void* result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank,
                   MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                   MPI_Win win)
{
    return operation("MPI_Get_accumulate", win, target_rank, false, nullptr,
                     [&](const Window& window, RequestState** begun) {
                         get_accumulate_on(window, {origin_addr, origin_count, origin_datatype},
                                           {result_addr, result_count, result_datatype},
                                           {target_rank, target_disp, target_count, target_datatype}, op,
                                           begun);
                     });
}

int rget_accumulate(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                    void* result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank,
                    MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                    MPI_Win win, MPI_Request* request)
{
    return operation("MPI_Rget_accumulate", win, target_rank, true, request,
                     [&](const Window& window, RequestState** begun) {
                         get_accumulate_on(window, {origin_addr, origin_count, origin_datatype},
                                           {result_addr, result_count, result_datatype},
                                           {target_rank, target_disp, target_count, target_datatype}, op,
                                           begun);
                     });
}

int fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank,
                 MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
    return guard("MPI_Fetch_and_op", win, [&] {
        const Window& window = window_of(win);
        const Datatype& type = element_type(datatype);
        const Update update = update_of(op, Elements(datatype));
        if (!is_target(window, target_rank))
            return;
        check_not_null(result_addr, "result_addr");
        if (update.kind != Update::Kind::no_op)
            check_not_null(origin_addr, "origin_addr");
        check_displacement(window, target_disp);
        if (type.number) [[likely]]
            window.state->fetch_and_op(static_cast<const std::byte*>(origin_addr),
                                       static_cast<std::byte*>(result_addr), target_rank, target_disp,
                                       update);
        else
            get_accumulate_on(window, {origin_addr, 1, datatype}, {result_addr, 1, datatype},
                              {target_rank, target_disp, 1, datatype}, op, nullptr);
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
        window.state->compare_and_swap(
            static_cast<const std::byte*>(origin_addr), static_cast<const std::byte*>(compare_addr),
            static_cast<std::byte*>(result_addr), size_bytes(*type.number), target_rank, target_disp);
    });
}

}  // namespace tutti::mpi
