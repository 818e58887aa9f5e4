// The contiguous buffers of a call, and the call's run.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "lib/core/calls/packed_buffers.hpp"
#include "lib/core/communicators/run_collective.hpp"
#include "lib/core/requests/lend.hpp"
#include "tutti/calls.hpp"

namespace tutti::detail {

/// The caller's buffers. For buffers with layouts: copies that are packed before the coroutine and unpacked
/// after it. Throws ErrorCode::invalid_argument in the name of `operation` if a layout's bytes are not a
/// whole number of elements.
struct Contiguous : BlockBuffers {
    Contiguous(std::string_view operation, const BlockBuffers& given, BuffersUsed uses = {})
        : BlockBuffers(given), used(uses)
    {
        if (in_layout != nullptr || out_layout != nullptr) [[unlikely]]
            pack(operation);
    }
    /// For a reduction: `in` is `out` if it works in place.
    Contiguous(std::string_view operation, const ReducedBuffers& given, BuffersUsed uses = {})
        : Contiguous(operation,
                     BlockBuffers{given.in, given.out, is_in_place(given), given.in_layout, given.out_layout},
                     uses)
    {
        if (in_place)
            in = out;
    }

    BuffersUsed used;
    std::shared_ptr<PackedBuffers> packed;  // nullptr: the caller's buffers are contiguous

    /// The caller's buffers that matter at this rank.
    std::array<ConstView, 2> lent() const noexcept;

    /// The same buffer twice. A shorter buffer with the same start overlaps and is not in place.
    static bool is_in_place(const ReducedBuffers& given) noexcept
    {
        return given.in.data == given.out.data && given.in.count == given.out.count &&
               given.in_layout == given.out_layout;
    }

private:
    void pack(std::string_view operation);
};

/// Runs the plan of a call between pack() and unpack() of its buffers, in one of the three forms.
CallHandle run_packed(const StatePointer& state, Form form, const std::shared_ptr<PackedBuffers>& packed,
                      SharedPlan plan);

/// Runs the plan of a call over `buffers` in one of the three forms.
template <class Plan>
requires(!std::is_reference_v<Plan>) CallHandle
    run(const StatePointer& state, Form form, const Contiguous& buffers, Plan&& plan)
{
    const CallHandle handle = buffers.packed == nullptr
                                  ? run(state, form, std::move(plan))
                                  : run_packed(state, form, buffers.packed,
                                               SharedPlan(std::make_shared<const Plan>(std::move(plan))));
    return form == Form::blocking ? handle : lend(state->process(), handle, buffers.lent());
}

}  // namespace tutti::detail
