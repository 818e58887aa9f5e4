// Collectives over layouts: contiguous copies of the caller's buffers, made and written back around the
// coroutine.
#pragma once

#include <memory>
#include <utility>

#include "lib/core/calls/run_collective.hpp"
#include "lib/foundation/datatype/transfer.hpp"
#include "tutti/blocks.hpp"

namespace tutti::detail {

/// Which of a call's buffers matter at this rank: those that do not may be anything.
struct BuffersUsed {
    bool in = true;
    bool out = true;
    bool out_read = true;  // it is input too, or the call leaves some of it as it is
    bool out_written = true;
};

class PackedBuffers {
public:
    /// Throws ErrorCode::invalid_argument in the name of `operation` where a layout's bytes are no whole
    /// number of elements.
    PackedBuffers(std::string_view operation, const BlockBuffers& buffers, BuffersUsed used);

    /// As the caller's buffers, but contiguous where those are not. Valid as long as this.
    BlockBuffers contiguous() noexcept;

    /// The coroutine that plan(group) makes of contiguous(), between pack() and unpack().
    template <class Plan>
    collectives::Task run(collectives::Group& group, const Plan& plan)
    {
        pack();
        collectives::Task task = plan(group);
        co_await task;
        unpack();
    }

private:
    void pack();
    void unpack() const;

    BlockBuffers buffers_;  // of the caller
    BuffersUsed used_;
    datatype::TypemapRef in_layout_;  // where that buffer has one, and it is used
    datatype::TypemapRef out_layout_;
    std::unique_ptr<std::byte[]> in_;
    std::unique_ptr<std::byte[]> out_;
};

/// As run(), of the plan that make_plan(buffers) returns for buffers that are contiguous.
template <class MakePlan>
Started run_on(Form form, const std::shared_ptr<CommunicatorState>& state, std::string_view operation,
               const BlockBuffers& buffers, BuffersUsed used, MakePlan&& make_plan)
{
    if (buffers.in_layout == nullptr && buffers.out_layout == nullptr) [[likely]]
        return run(form, state, make_plan(buffers));
    auto packed = std::make_shared<PackedBuffers>(operation, buffers, used);
    auto plan = make_plan(packed->contiguous());
    return run(form, state, [packed = std::move(packed), plan = std::move(plan)](collectives::Group& group) {
        return packed->run(group, plan);
    });
}

}  // namespace tutti::detail
