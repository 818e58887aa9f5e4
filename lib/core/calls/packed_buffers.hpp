// Collectives over layouts: contiguous copies of the caller's buffers, made and written back around the
// coroutine.
#pragma once

#include <memory>
#include <utility>

#include "collectives/group.hpp"
#include "collectives/task.hpp"
#include "lib/foundation/datatype/transfer.hpp"
#include "tutti/blocks.hpp"

namespace tutti::detail {

/// Which of a call's buffers matter at this rank: those that do not may be anything.
struct BuffersUsed {
    bool in = true;
    bool out = true;
    bool out_written = true;
    bool out_overwritten = false;  // all of it, unless the call works in place
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

}  // namespace tutti::detail
