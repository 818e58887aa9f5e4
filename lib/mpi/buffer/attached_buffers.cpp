#include "lib/mpi/buffer/attached_buffers.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <memory>

#include "lib/core/process/process.hpp"
#include "lib/mpi/buffer/send_buffer.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/runtime.hpp"
#include "lib/mpi/request/request_object.hpp"

namespace tutti::mpi {

namespace {

using progress::Engine;

using Buffers = std::map<BufferOwner, std::unique_ptr<SendBuffer>>;

// Under the engine's lock. Never destroyed: a program may end without MPI_Finalize.
Buffers& buffers()
{
    static Buffers& all = *new Buffers;
    return all;
}

Engine::Lock lock_buffers()
{
    Runtime::check_running();
    return Runtime::process().engine().lock();
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

}  // namespace

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

void attach_buffer(BufferOwner owner, void* memory, MPI_Count size, std::size_t overhead)
{
    if (memory != MPI_BUFFER_AUTOMATIC)
        check_not_negative("the size", size, MPI_ERR_BUFFER);
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

int flush_buffer(const char* call, BufferOwner owner)
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
int detach_buffer(const char* call, BufferOwner owner, void* address, CountPlace size)
{
    check_not_null(address, "buffer_addr");
    check_not_null(size, "size");
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
    buffer->look_at_memory();
    delete buffer;
    return code;
}

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
    return detach_buffer(call, owner, &memory, CountPlace(&size));
}

void end_buffers()
{
    while (!buffers().empty()) {
        void* memory = nullptr;
        MPI_Count size = 0;
        detach_buffer("MPI_Finalize", buffers().begin()->first, &memory, CountPlace(&size));
    }
}

}  // namespace tutti::mpi
