// A call's buffers as its plan sees them, and the call's run.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "lib/core/calls/packed_buffers.hpp"
#include "lib/core/calls/run_collective.hpp"
#include "tutti/calls.hpp"

namespace tutti::detail {

/// The caller's buffers, or copies that are filled and written back around the coroutine where those have
/// layouts. Throws ErrorCode::invalid_argument in the name of `operation` where a layout's bytes are no whole
/// number of elements.
struct Contiguous : BlockBuffers {
    Contiguous(std::string_view operation, const BlockBuffers& given, BuffersUsed used = {})
        : BlockBuffers(given)
    {
        if (in_layout != nullptr || out_layout != nullptr) [[unlikely]]
            pack(operation, used);
    }
    /// Of a reduction: `in` is `out` where it works in place.
    Contiguous(std::string_view operation, const ReducedBuffers& given, BuffersUsed used = {})
        : Contiguous(operation,
                     BlockBuffers{given.in, given.out, is_in_place(given), given.in_layout, given.out_layout},
                     used)
    {
        if (in_place)
            in = out;
    }

    std::shared_ptr<PackedBuffers> packed;  // nullptr: the caller's buffers are contiguous

    /// The same buffer twice: one that begins where the other does and is shorter overlaps it.
    static bool is_in_place(const ReducedBuffers& given) noexcept
    {
        return given.in.data == given.out.data && given.in.count == given.out.count &&
               given.in_layout == given.out_layout;
    }

private:
    void pack(std::string_view operation, BuffersUsed used);
};

/// Runs the plan of a call over `buffers` in one of the three forms.
template <class Plan>
CallHandle run(const StatePointer& state, Form form, const Contiguous& buffers, Plan plan)
{
    if (buffers.packed == nullptr) [[likely]]
        return run(state, form, std::move(plan));
    return run(state, form, [packed = buffers.packed, plan = std::move(plan)](collectives::Group& group) {
        return packed->run(group, plan);
    });
}

}  // namespace tutti::detail
