#include "lib/mpi/buffered.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "lib/core/job/process.hpp"
#include "lib/mpi/communicator.hpp"
#include "lib/mpi/datatype.hpp"
#include "lib/mpi/errors.hpp"
#include "lib/mpi/guard.hpp"
#include "lib/mpi/message_checks.hpp"
#include "lib/mpi/persistent.hpp"
#include "lib/mpi/results.hpp"
#include "lib/mpi/runtime.hpp"
#include "lib/mpi/send_buffer.hpp"
#include "lib/mpi/status.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using progress::Engine;

/// Whose buffer: a communicator's, by its context, or the process's.
using BufferOwner = std::optional<std::uint64_t>;
using Buffers = std::map<BufferOwner, std::unique_ptr<SendBuffer>>;

// Under the engine's lock. Never destroyed: a program may end without MPI_Finalize.
Buffers& buffers()
{
    static Buffers& all = *new Buffers;
    return all;
}

BufferOwner owner_of(MPI_Comm comm)
{
    return state_of(comm)->context();
}

Engine::Lock lock_buffers()
{
    if (!Runtime::is_running())
        fail(MPI_ERR_OTHER, "MPI is not running: it was not initialised, or has been finalized");
    return Runtime::process().engine().lock();
}

void send_buffered(const detail::CommunicatorState& state, const detail::ConstView& view, int dest, int tag)
{
    const Engine::Lock lock = lock_buffers();
    auto found = buffers().find(state.context());
    if (found == buffers().end())
        found = buffers().find(std::nullopt);
    if (found == buffers().end())
        fail(MPI_ERR_BUFFER, fmt::format("no buffer is attached for the message of {} bytes; call "
                                         "MPI_Buffer_attach first, for example with MPI_BUFFER_AUTOMATIC",
                                         view.size_bytes));
    found->second->send(state, view, dest, tag);
}

struct BufferedSender final : detail::Starter {
    BufferedSender(detail::StatePointer state, const detail::ConstView& view, int to, int with_tag)
        : communicator(std::move(state)), buffer(view), layout(view.layout), dest(to), tag(with_tag)
    {
    }
    Request start() override
    {
        send_buffered(*communicator, buffer, dest, tag);
        return {};
    }

    detail::StatePointer communicator;
    detail::ConstView buffer;
    datatype::TypemapRef layout;  // the buffer's
    int dest;
    int tag;
};

void attach(BufferOwner owner, void* memory, MPI_Count size, std::size_t overhead = MPI_BSEND_OVERHEAD)
{
    if (memory != MPI_BUFFER_AUTOMATIC && size < 0)
        fail(MPI_ERR_BUFFER, fmt::format("the size is {}; it must not be negative", size));
    if (memory == nullptr && size != 0)
        fail(MPI_ERR_BUFFER,
             fmt::format("the buffer is a null pointer to {} bytes; pass memory that holds them, or "
                         "MPI_BUFFER_AUTOMATIC",
                         size));
    const Engine::Lock lock = lock_buffers();
    auto buffer =
        std::make_unique<SendBuffer>(Runtime::process(), memory, static_cast<std::size_t>(size), overhead);
    if (!buffers().try_emplace(owner, std::move(buffer)).second)
        fail(MPI_ERR_BUFFER, "a buffer is attached already; detach it first");
}

// nullptr: none is attached.
SendBuffer* find_buffer(BufferOwner owner)
{
    const auto found = buffers().find(owner);
    return found == buffers().end() ? nullptr : found->second.get();
}

// Waits until the messages have left.
int flush_with(const char* call, Engine::Lock& lock, SendBuffer& buffer)
{
    MPI_Request request = buffer.flush();
    detail::wait(lock, *state_of(request));
    const Completed completed = take(lock, request);
    lock.unlock();
    return finish(call, completed, MPI_STATUS_IGNORE);
}

int flush(const char* call, BufferOwner owner)
{
    Engine::Lock lock = lock_buffers();
    SendBuffer* const buffer = find_buffer(owner);
    return buffer == nullptr ? MPI_SUCCESS : flush_with(call, lock, *buffer);
}

MPI_Request begin_flush(BufferOwner owner)
{
    const Engine::Lock lock = lock_buffers();
    SendBuffer* const buffer = find_buffer(owner);
    return buffer == nullptr ? begun_request(nullptr) : buffer->flush();
}

// If a wait throws, the buffer stays: data may still move.
int detach(const char* call, BufferOwner owner, void* address, CountPlace size)
{
    check_not_null(address, "buffer_addr");
    if (size.is_null())
        check_not_null(nullptr, "size");
    Engine::Lock lock = lock_buffers();
    auto taken = buffers().extract(owner);
    if (taken.empty())
        fail(MPI_ERR_BUFFER, "no buffer is attached; there is nothing to detach");
    SendBuffer* const buffer = taken.mapped().release();
    const int code = flush_with(call, lock, *buffer);
    void* const memory = buffer->memory();
    std::memcpy(address, &memory, sizeof memory);
    size.set(static_cast<MPI_Count>(buffer->size_bytes()));
    lock.lock();
    delete buffer;
    return code;
}

void bsend_in(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    const detail::CommunicatorState& state = *state_of(comm);
    const detail::ConstView view = const_view_of(buf, count, datatype);
    if (goes_to(state, dest, tag))
        send_buffered(state, view, dest, tag);
}

}  // namespace

int end_buffer_of(const char* call, const detail::CommunicatorState& state)
{
    const BufferOwner owner = state.context();
    {
        const Engine::Lock lock = lock_buffers();
        if (find_buffer(owner) == nullptr)
            return MPI_SUCCESS;
    }
    void* memory = nullptr;
    MPI_Count size = 0;
    return detach(call, owner, &memory, CountPlace(&size));
}

void end_buffers()
{
    while (!buffers().empty()) {
        void* memory = nullptr;
        MPI_Count size = 0;
        detach("MPI_Finalize", buffers().begin()->first, &memory, CountPlace(&size));
    }
}

int bsend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return guard("MPI_Bsend", comm, [&] { bsend_in(buf, count, datatype, dest, tag, comm); });
}

int ibsend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
           MPI_Request* request)
{
    return guard("MPI_Ibsend", comm, [&] {
        check_not_null(request, "request");
        bsend_in(buf, count, datatype, dest, tag, comm);
        *request = begun_request(nullptr);
    });
}

int bsend_init(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request)
{
    return guard("MPI_Bsend_init", comm, [&] {
        check_not_null(request, "request");
        const detail::StatePointer& state = state_of(comm);
        const detail::ConstView view = const_view_of(buf, count, datatype);
        *request = goes_to(*state, dest, tag)
                       ? persistent_request(std::make_unique<BufferedSender>(state, view, dest, tag))
                       : persistent_request(nullptr);
    });
}

int buffer_attach(void* buffer, MPI_Count size)
{
    return guard("MPI_Buffer_attach", [&] { attach({}, buffer, size); });
}

int buffer_attach(void* buffer, MPI_Count size, std::size_t overhead)
{
    return guard("MPI_Buffer_attach", [&] { attach({}, buffer, size, overhead); });
}

int buffer_detach(void* buffer_addr, CountPlace size)
{
    return guard("MPI_Buffer_detach", [&] { return detach("MPI_Buffer_detach", {}, buffer_addr, size); });
}

int buffer_flush()
{
    return guard("MPI_Buffer_flush", [] { return flush("MPI_Buffer_flush", {}); });
}

int buffer_iflush(MPI_Request* request)
{
    return guard("MPI_Buffer_iflush", [&] {
        check_not_null(request, "request");
        *request = begin_flush({});
    });
}

int comm_attach_buffer(MPI_Comm comm, void* buffer, MPI_Count size)
{
    return guard("MPI_Comm_attach_buffer", comm, [&] { attach(owner_of(comm), buffer, size); });
}

int comm_detach_buffer(MPI_Comm comm, void* buffer_addr, CountPlace size)
{
    return guard("MPI_Comm_detach_buffer", comm,
                 [&] { return detach("MPI_Comm_detach_buffer", owner_of(comm), buffer_addr, size); });
}

int comm_flush_buffer(MPI_Comm comm)
{
    return guard("MPI_Comm_flush_buffer", comm,
                 [&] { return flush("MPI_Comm_flush_buffer", owner_of(comm)); });
}

int comm_iflush_buffer(MPI_Comm comm, MPI_Request* request)
{
    return guard("MPI_Comm_iflush_buffer", comm, [&] {
        check_not_null(request, "request");
        *request = begin_flush(owner_of(comm));
    });
}

}  // namespace tutti::mpi
