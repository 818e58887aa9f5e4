#include "lib/core/files/shared_pointer.hpp"

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/aligned_memory.hpp"
#include "lib/core/process/process.hpp"
#include "tutti/allocate.hpp"

namespace tutti::detail {

namespace {

constexpr int kOwner = 0;
constexpr std::size_t kWords = 2;
constexpr int kOffsetBits = 48;
constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kOffsetBits) - 1;

std::uint64_t word_of(std::uint16_t view, std::int64_t offset) noexcept
{
    return std::uint64_t{view} << kOffsetBits | (static_cast<std::uint64_t>(offset) & kOffsetMask);
}

std::uint16_t view_of_word(std::uint64_t word) noexcept
{
    return static_cast<std::uint16_t>(word >> kOffsetBits);
}

std::int64_t offset_of(std::uint64_t word) noexcept
{
    return static_cast<std::int64_t>(word & kOffsetMask);
}

std::byte* bytes_of_word(std::uint64_t& word) noexcept
{
    return reinterpret_cast<std::byte*>(&word);
}

}  // namespace

void SharedPointer::Release::operator()(std::uint64_t* memory) const noexcept
{
    deallocate(memory);
}

SharedPointer::SharedPointer(const StatePointer& communicator, std::int64_t offset)
    : memory_(static_cast<std::uint64_t*>(allocate_aligned(kWords * sizeof(std::uint64_t), 64)))
{
    memory_[0] = word_of(0, offset);
    memory_[1] = 0;
    window_ = Window::make(communicator, WindowFlavor::create,
                           {.base = reinterpret_cast<std::byte*>(memory_.get()),
                            .size_bytes = kWords * sizeof(std::uint64_t),
                            .unit_bytes = sizeof(std::uint64_t)});
    window_->set_name("the shared pointer of a file");
    // To share memory for a board takes longer than to open and close a file, whose accesses use none.
    window_->communicator()->do_without_board();
    window_->lock_all(window_promise::no_check);
}

SharedPointer::~SharedPointer()
{
    static_cast<void>(memory_.release());
}

void SharedPointer::free()
{
    window_->unlock_all();
    window_->free();
    memory_.reset();
}

bool SharedPointer::maps_peers() const
{
    const CommunicatorState& ranks = *communicator();
    for (int rank = 0; rank < ranks.size(); ++rank)
        if (ranks.process().is_local(ranks.world_rank(rank)) && window_->direct(rank) == nullptr)
            return false;
    return true;
}

std::uint64_t SharedPointer::fetch(std::uint16_t view, std::uint64_t operand, Update::Kind kind)
{
    std::uint64_t before = 0;
    window_->fetch_and_op(bytes_of_word(operand), bytes_of_word(before), kOwner, view % kWords,
                          {kind, Op::sum, DataType::uint64});
    window_->flush(kOwner);
    return before;
}

std::uint64_t SharedPointer::replace(std::uint16_t view, std::uint64_t expected, std::uint64_t desired)
{
    std::uint64_t before = 0;
    window_->compare_and_swap(bytes_of_word(desired), bytes_of_word(expected), bytes_of_word(before),
                              sizeof before, kOwner, view % kWords);
    window_->flush(kOwner);
    return before;
}

std::int64_t SharedPointer::add(std::uint16_t view, std::int64_t etypes)
{
    const auto more = static_cast<std::uint64_t>(etypes);
    std::uint64_t before = fetch(view, more, Update::Kind::reduce);
    if (view_of_word(before) == view) [[likely]]
        return offset_of(before);
    // The first access of this view.
    std::uint64_t expected = before + more;
    while ((before = replace(view, expected, word_of(view, etypes))) != expected) {
        if (view_of_word(before) == view)
            return offset_of(fetch(view, more, Update::Kind::reduce));
        expected = before;
    }
    return 0;
}

std::int64_t SharedPointer::value(std::uint16_t view)
{
    const std::uint64_t word = fetch(view, 0, Update::Kind::no_op);
    return view_of_word(word) == view ? offset_of(word) : 0;
}

void SharedPointer::set(std::uint16_t view, std::int64_t offset)
{
    fetch(view, word_of(view, offset), Update::Kind::replace);
}

}  // namespace tutti::detail
