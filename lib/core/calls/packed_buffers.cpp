#include "lib/core/calls/packed_buffers.hpp"

#include <fmt/format.h>

#include "lib/core/calls/contiguous.hpp"
#include "lib/core/communicators/buffer_checks.hpp"
#include "lib/foundation/datatype/absolute.hpp"

namespace tutti::detail {

namespace {

// `base` may be null if no data moves.
datatype::TypemapRef kept_layout(std::string_view operation, std::string_view name,
                                 const datatype::Typemap* layout, ConstElements elements, bool used)
{
    if (layout == nullptr || !used)
        return {};
    if (!datatype::may_be_absolute(*layout))
        check_memory(operation, name, elements);
    if (layout->size_bytes() % elements.element_bytes != 0)
        refuse(operation,
               fmt::format("the layout of the {} has {} bytes, which are no whole number of its elements of "
                           "{} bytes; make its blocks of whole elements",
                           name, layout->size_bytes(), elements.element_bytes));
    return datatype::TypemapRef(layout);
}

std::unique_ptr<std::byte[]> new_memory(const datatype::TypemapRef& layout, ConstElements elements)
{
    return layout ? std::make_unique_for_overwrite<std::byte[]>(elements.size_bytes()) : nullptr;
}

void pack_all(const datatype::Typemap& layout, ConstElements elements, std::byte* to)
{
    const std::size_t size_bytes = elements.size_bytes();
    datatype::pack(layout, size_bytes / layout.size_bytes(), elements.data, 0, {to, size_bytes});
}

// Its arguments outlive it: they are the plan's.
collectives::Task between_packing(PackedBuffers& packed, const SharedPlan& plan, collectives::Group& group)
{
    packed.pack();
    collectives::Task task = plan(group);
    co_await task;
    packed.unpack();
}

}  // namespace

PackedBuffers::PackedBuffers(std::string_view operation, const BlockBuffers& buffers, BuffersUsed used)
    : buffers_(buffers),
      used_(used),
      in_layout_(
          kept_layout(operation, "input", buffers.in_layout, buffers.in, used.in && !buffers.in_place)),
      out_layout_(kept_layout(operation, "output", buffers.out_layout, buffers.out, used.out)),
      in_(new_memory(in_layout_, buffers.in)),
      out_(new_memory(out_layout_, buffers.out))
{
}

BlockBuffers PackedBuffers::contiguous() noexcept
{
    BlockBuffers made{buffers_.in, buffers_.out, buffers_.in_place};
    if (in_layout_)
        made.in.data = in_.get();
    if (out_layout_)
        made.out.data = out_.get();
    return made;
}

void PackedBuffers::pack()
{
    if (in_layout_)
        pack_all(*in_layout_, buffers_.in, in_.get());
    if (out_layout_ && (buffers_.in_place || !used_.out_overwritten))
        pack_all(*out_layout_, buffers_.out, out_.get());
}

void PackedBuffers::unpack() const
{
    if (out_layout_ && used_.out_written)
        datatype::unpack(*out_layout_, buffers_.out.size_bytes() / out_layout_->size_bytes(),
                         buffers_.out.data, 0, {out_.get(), buffers_.out.size_bytes()});
}

void Contiguous::pack(std::string_view operation)
{
    packed = std::make_shared<PackedBuffers>(operation, *this, used);
    static_cast<BlockBuffers&>(*this) = packed->contiguous();
}

std::array<ConstView, 2> Contiguous::lent() const noexcept
{
    const BlockBuffers& given = packed == nullptr ? *this : packed->given();
    const std::size_t in_bytes = used.in && !in_place ? given.in.size_bytes() : 0;
    return {{{given.in.data, in_bytes, given.in_layout},
             {given.out.data, used.out ? given.out.size_bytes() : 0, given.out_layout}}};
}

CallHandle run_packed(const StatePointer& state, Form form, const std::shared_ptr<PackedBuffers>& packed,
                      SharedPlan plan)
{
    return run(state, form, [packed, plan = std::move(plan)](collectives::Group& group) {
        return between_packing(*packed, plan, group);
    });
}

}  // namespace tutti::detail
