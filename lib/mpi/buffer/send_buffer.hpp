// Buffered sends: the memory that a program attaches, and the messages in it that have not left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/requests/lend.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "tutti/buffer.hpp"

namespace tutti::mpi {

/// Messages lie in the memory as in a ring, which MPI prescribes, and where that has no place, between
/// others. Each takes MPI_BSEND_OVERHEAD bytes more than it has. All under the engine's lock.
class SendBuffer {
public:
    /// `memory` may be MPI_BUFFER_AUTOMATIC: each message gets memory of its own. `overhead` is the
    /// MPI_BSEND_OVERHEAD that the program was compiled with.
    SendBuffer(detail::Process& process, void* memory, std::size_t size_bytes, std::size_t overhead);
    /// No message is left.
    ~SendBuffer() { drop_ended(); }
    SendBuffer(const SendBuffer&) = delete;
    SendBuffer& operator=(const SendBuffer&) = delete;

    /// The program gets its memory back: reports it if it was freed meanwhile.
    void look_at_memory() const;

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
        std::size_t place;
        std::size_t bytes;  // that it takes
        std::unique_ptr<std::byte[]> own_memory;
        detail::RequestState* operation = nullptr;
        Message* next_ended = nullptr;
    };
    struct Flush;

    bool is_automatic() const noexcept;
    std::size_t place_for(std::size_t bytes) const noexcept;
    void ended(Message& message) noexcept;
    void drop_ended() noexcept;

    detail::Process& process_;
    void* const memory_;
    const std::size_t size_bytes_;
    const std::size_t overhead_;
    std::optional<detail::Loan> loan_;  // none: the job is not checked
    std::map<std::size_t, Message>
        messages_;                 // by their offsets, or by numbers where each has memory of its own
    std::size_t next_place_ = 0;   // behind the latest one
    Message* ended_ = nullptr;     // those that have left
    std::vector<Flush*> flushes_;  // unfinished
    std::uint64_t next_number_ = 0;
    std::exception_ptr failure_;  // of a lost message, for the next flush
};

}  // namespace tutti::mpi
