// Collectives over layouts work on contiguous copies of the caller's buffers, packed before the coroutine and
// unpacked after it.
#pragma once

#include <memory>
#include <utility>

#include "collectives/framework/group.hpp"
#include "collectives/framework/task.hpp"
#include "lib/foundation/datatype/transfer.hpp"
#include "tutti/blocks.hpp"

namespace tutti::detail {

/// Which buffers matter at this rank. The others may be anything.
struct BuffersUsed {
    bool in = true;
    bool out = true;
    bool out_written = true;
    bool out_overwritten = false;  // all of it, unless the call works in place
};

class PackedBuffers {
public:
    /// Throws ErrorCode::invalid_argument in the name of `operation` if a layout's bytes are not a whole
    /// number of elements.
    PackedBuffers(std::string_view operation, const BlockBuffers& buffers, BuffersUsed used);

    /// The caller's buffers, or their contiguous copies. Valid while this object lives.
    BlockBuffers contiguous() noexcept;

    /// The caller's.
    const BlockBuffers& given() const noexcept { return buffers_; }

    /// The caller's data into the copies.
    void pack();
    /// The result into the caller's buffer.
    void unpack() const;

private:
    BlockBuffers buffers_;  // the caller's
    BuffersUsed used_;
    datatype::TypemapRef in_layout_;  // set if that buffer has one and is used
    datatype::TypemapRef out_layout_;
    std::unique_ptr<std::byte[]> in_;
    std::unique_ptr<std::byte[]> out_;
};

}  // namespace tutti::detail
