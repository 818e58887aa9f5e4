#include "lib/core/messages/packed_buffers.hpp"

#include <fmt/format.h>

#include "lib/core/calls/buffer_checks.hpp"

namespace tutti::detail {

namespace {

// `base` may be null where nothing travels.
std::optional<Layout> kept_layout(std::string_view operation, std::string_view name, const Layout* layout,
                                  ConstElements elements, bool used)
{
    if (layout == nullptr || !used)
        return std::nullopt;
    check_memory(operation, name, elements);
    if (layout->size_bytes() % elements.element_bytes != 0)
        refuse(operation,
               fmt::format("the layout of the {} has {} bytes, which are no whole number of its elements of "
                           "{} bytes; make its blocks of whole elements",
                           name, layout->size_bytes(), elements.element_bytes));
    return *layout;
}

}  // namespace

PackedBuffers::PackedBuffers(std::string_view operation, const BlockBuffers& buffers, BuffersUsed used)
    : buffers_(buffers),
      used_(used),
      in_layout_(
          kept_layout(operation, "input", buffers.in_layout, buffers.in, used.in && !buffers.in_place)),
      out_layout_(kept_layout(operation, "output", buffers.out_layout, buffers.out, used.out)),
      in_(in_layout_ ? buffers.in.size_bytes() : 0),
      out_(out_layout_ ? buffers.out.size_bytes() : 0)
{
}

BlockBuffers PackedBuffers::contiguous() noexcept
{
    BlockBuffers made{buffers_.in, buffers_.out, buffers_.in_place};
    if (in_layout_)
        made.in.data = in_.data();
    if (out_layout_)
        made.out.data = out_.data();
    return made;
}

void PackedBuffers::pack()
{
    if (in_layout_)
        in_layout_->pack(buffers_.in.data, 0, in_);
    // The output too: what nothing arrives for is to stay as it is.
    if (out_layout_)
        out_layout_->pack(buffers_.out.data, 0, out_);
}

void PackedBuffers::unpack() const
{
    if (out_layout_ && used_.out_written)
        out_layout_->unpack(buffers_.out.data, 0, out_);
}

}  // namespace tutti::detail
