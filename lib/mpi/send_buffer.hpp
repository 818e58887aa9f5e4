// Buffered sends: the memory that a program attaches, and the messages in it that have not left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <vector>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/mpi/request.hpp"
#include "tutti/buffer.hpp"

namespace tutti::mpi {

/// Messages lie in the memory as in a ring, which MPI prescribes. Each takes MPI_BSEND_OVERHEAD bytes more
/// than it has. All under the engine's lock.
class SendBuffer {
public:
    /// `memory` may be MPI_BUFFER_AUTOMATIC: each message gets memory of its own.
    SendBuffer(detail::Process& process, void* memory, std::size_t size_bytes) noexcept;
    /// No message is left.
    ~SendBuffer() { drop_ended(); }
    SendBuffer(const SendBuffer&) = delete;
    SendBuffer& operator=(const SendBuffer&) = delete;

    void* memory() const noexcept { return memory_; }
    std::size_t size_bytes() const noexcept { return size_bytes_; }

    /// Sends a message without waiting. Throws Failure if it finds no room.
    void send(const detail::CommunicatorState& state, const detail::ConstView& view, int dest, int tag);

    /// A request that is complete when all present messages have left. It fails if one was lost.
    MPI_Request flush();

private:
    struct Message {
        SendBuffer& buffer;
        std::uint64_t number;
        std::size_t offset;
        std::size_t bytes;  // that it takes
        std::unique_ptr<std::byte[]> own_memory;
        detail::RequestState* operation = nullptr;
    };
    struct Flush;

    bool is_automatic() const noexcept;
    std::size_t place_for(std::size_t bytes) const noexcept;
    void ended(Message& message) noexcept;
    void drop_ended() noexcept;

    detail::Process& process_;
    void* const memory_;
    const std::size_t size_bytes_;
    std::deque<Message> messages_;  // in the order of their sends
    std::vector<Flush*> flushes_;   // unfinished
    std::uint64_t next_number_ = 0;
    std::exception_ptr failure_;  // of a lost message, for the next flush
};

}  // namespace tutti::mpi
