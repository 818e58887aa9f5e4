// How windows are made and freed, and what their parts get from others.
#include "lib/core/windows/rank_window.hpp"

#include <fmt/format.h>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/communicators/creation.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/windows/window_service.hpp"

namespace tutti::detail {

using What = WindowHeader::What;

std::shared_ptr<Window> Window::make(const StatePointer& communicator, WindowFlavor flavor,
                                     const WindowMemory& memory)
{
    if (memory.unit_bytes == 0)
        throw Error(ErrorCode::invalid_argument, "window", "a displacement unit has at least one byte");
    if (flavor == WindowFlavor::create && memory.base == nullptr && memory.size_bytes != 0)
        throw Error(ErrorCode::invalid_argument, "window",
                    fmt::format("the memory is a null pointer to {} bytes; pass memory that holds them",
                                memory.size_bytes));
    if (flavor == WindowFlavor::shared && !communicator->placement().one_node)
        throw Error(ErrorCode::not_supported, "window",
                    "the ranks of a shared window must be of one node; split the communicator by node first");
    StatePointer own;
    static_cast<void>(dup(communicator, Form::blocking, own));
    const std::shared_ptr<Window> made(new Window(std::move(own), flavor));
    made->targets_.allocate(memory);
    if (flavor == WindowFlavor::create)
        made->loans_.note_memory(memory.base, memory.size_bytes);
    {
        const EngineLock held = made->locked();
        made->network_.grant(made->targets_.base(), made->targets_.own_place());
    }
    made->targets_.find(memory);
    made->waits_.barrier("window");
    return made;
}

Window::Window(StatePointer communicator, WindowFlavor flavor)
    : identity_(std::move(communicator), flavor),
      waits_(identity_),
      targets_(identity_),
      attachments_(identity_, targets_),
      conflicts_(identity_),
      loans_(identity_),
      questions_(identity_, waits_),
      keys_(identity_, waits_, attachments_),
      queued_(identity_, waits_, attachments_),
      network_(identity_, targets_, waits_, questions_),
      locks_(identity_, targets_, waits_, questions_),
      row_updates_(identity_, targets_),
      served_(identity_, targets_, attachments_, row_updates_),
      exposure_(identity_, waits_)
{
    const EngineLock held = locked();
    identity_.process().windows().add(*this);
}

Window::~Window()
{
    if (freed_)
        return;
    const EngineLock held = locked();
    identity_.process().windows().remove(*this);
    locks_.forget();
    network_.revoke();
    network_.abandon();
    queued_.abandon();
}

EngineLock Window::locked() const
{
    return identity_.process().engine().lock();
}

void Window::set_name(std::string_view name)
{
    identity_.set_name(name);
}

void Window::attach(void* memory, std::size_t size_bytes)
{
    attachments_.attach(memory, size_bytes);
    const EngineLock held = locked();
    loans_.note_memory(static_cast<const std::byte*>(memory), size_bytes);
}

void Window::detach(const void* memory)
{
    attachments_.detach(memory);
    const EngineLock held = locked();
    loans_.end_memory(static_cast<const std::byte*>(memory));
}

std::byte* Window::direct(int rank)
{
    const EngineLock held = locked();
    targets_.look_for(rank);
    return targets_[rank].memory;
}

void Window::free()
{
    if (freed_)
        identity_.refuse(WindowFault::epoch, "free", Error::kNoPeer, "it has been freed before");
    if (identity_.epoch() != WindowEpoch::none && identity_.epoch() != WindowEpoch::fence)
        identity_.refuse_epoch("free");
    if (exposure_.is_open())
        identity_.refuse(WindowFault::epoch, "free", Error::kNoPeer,
                         "its memory is exposed by post(); wait() for the end of that epoch first");
    std::exception_ptr incomplete;
    {
        EngineLock held = locked();
        order_mapped_accesses();
        incomplete = caught([&] { collect(held, "free", kAnyRank); });
    }
    waits_.barrier("free");
    {
        const EngineLock held = locked();
        identity_.process().windows().remove(*this);
        locks_.forget();
        network_.revoke();
        for (int rank = 0; rank < identity_.size(); ++rank)
            loans_.end(rank);
        loans_.end_memory(nullptr);
        identity_.enter(WindowEpoch::none);
        freed_ = true;
    }
    targets_.free();
    keys_.free();
    if (incomplete)
        std::rethrow_exception(incomplete);
}

void Window::take(int rank, const WindowHeader& header, std::span<const std::byte> payload)
{
    switch (header.what) {
        case What::wake:
            return locks_.grant();  // the pass of progress that takes the frame ends this rank's own sleep
        case What::posted:
        case What::completed:
            return exposure_.take(rank, header.what);
        case What::operations:
            return served_.serve(rank, header, payload);
        case What::done:
            return queued_.take_done(rank, header, payload);
        case What::refusal:
            return queued_.take_refusal(rank, header, payload);
        case What::failure:
            return queued_.take_failure(rank, header, payload);
        case What::lock_shared:
        case What::lock_exclusive:
        case What::unlock_shared:
        case What::unlock_exclusive:
            return locks_.serve(rank, header);
        case What::keys:
            return keys_.serve(rank, header, payload);
        case What::places:
            return keys_.take_places(rank, header, payload);
        case What::presence:
            return identity_.send(rank, What::answer, header.id);
        case What::answer:
            return questions_.take_answer(rank, header);
    }
    protocol::corrupt(identity_.world_rank(rank), "a window's frame of unknown kind");
}

void Window::fail_waits_for_lost()
{
    queued_.fail_for_lost();
    network_.fail_for_lost();
    waits_.fail_for_lost();
}

// A request that is waited for is none of this object's waits.
WindowWait Window::wait_in_words(bool collective) const
{
    const QueuedOperation* const awaited = queued_.awaited();
    if (collective || awaited == nullptr)
        return waits_.in_words(collective);
    return waits_.in_words(awaited->name, awaited->aim.target, awaited->aim);
}

// Waits look for losses themselves, but calls that poll do not: they depend on origins that have not
// completed, and on targets of the open epoch.
std::set<int> Window::awaited() const
{
    std::set<int> ranks;
    waits_.add_awaited(ranks);
    queued_.add_awaited(ranks);
    network_.add_awaited(ranks);
    exposure_.add_awaited(ranks);
    for (int rank = 0; rank < identity_.size(); ++rank)
        if (targets_[rank].cover > WindowCover::fence && targets_[rank].cover != WindowCover::not_locked)
            identity_.add_to(ranks, rank);
    return ranks;
}

}  // namespace tutti::detail
