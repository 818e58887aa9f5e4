// The profile of a rank: where its time has gone, in memory that its daemon reads when the rank has ended.
//
// The rank stores plain words under its engine's lock, relaxed unless their comment names a partner. A reader
// checks what it reads and believes no number: the rank may have died within a change. Times are ticks.hpp's.
// The memory is a ProfileHeader, and then its tables: aggregates, peers, events, messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "lib/foundation/observe/message_protocol.hpp"
#include "lib/foundation/observe/status_page.hpp"

namespace tutti::observe {

/// Calls that are alike: one operation, size, communicator, algorithm and calling line.
struct ProfileAggregate {
    StatusWord key;  // see ProfileKey; 0: a free entry
    StatusWord context;
    StatusWord calls, bytes;
    StatusWord ticks, waiting_ticks;
    StatusWord least_ticks, most_ticks;
};

struct ProfileKey {
    static constexpr int kCallerBits = 16;
    static constexpr int kSignatureBits = CollectiveWord::kBits;
    static constexpr int kClassBits = 8;
    static constexpr std::uint64_t kUsed = std::uint64_t{1} << 63;

    std::uint64_t word = 0;

    static ProfileKey of(const CallWords& call, std::uint64_t caller) noexcept
    {
        std::uint64_t size_class = 0;
        for (std::uint64_t bytes = call.bytes(); bytes != 0; bytes >>= 1)
            ++size_class;
        return {kUsed |
                static_cast<std::uint64_t>(call.operation()) << (kClassBits + kSignatureBits + kCallerBits) |
                size_class << (kSignatureBits + kCallerBits) |
                (call.signature & ((1u << kSignatureBits) - 1)) << kCallerBits | caller};
    }
    Operation operation() const noexcept
    {
        return static_cast<Operation>(field(kClassBits + kSignatureBits + kCallerBits, 8));
    }
    /// The number of bits of the bytes: 0 for none, 1 for 1, 2 for 2 and 3, 3 for 4 to 7.
    int size_class() const noexcept
    {
        return static_cast<int>(field(kSignatureBits + kCallerBits, kClassBits));
    }
    std::uint64_t signature() const noexcept { return field(kCallerBits, kSignatureBits); }
    /// The index of the caller plus 1; 0: unknown.
    std::size_t caller() const noexcept { return static_cast<std::size_t>(field(0, kCallerBits)); }

private:
    std::uint64_t field(int shift, int bits) const noexcept
    {
        return word >> shift & ((std::uint64_t{1} << bits) - 1);
    }
};

/// Messages by their envelopes. Those of collectives count apart.
struct ProfilePeer {
    StatusWord sent, sent_bytes;
    StatusWord collective_sent, collective_sent_bytes;
    StatusWord arrived, arrived_bytes;  // of all messages
    StatusWord waited_ticks;            // for this peer
    StatusWord spare;
};

/// A call that has ended.
struct ProfileEvent {
    StatusWord sequence;  // its number from 1; 0 while it is written. Release: after the rest
    StatusWord begin_ticks, end_ticks;
    StatusCall call;
    StatusWord caller_and_thread;  // ProfileKey::caller() below, the kernel's number of the thread above
};

struct ProfileMessage {
    StatusWord sequence;  // as that of an event
    StatusWord ticks;
    StatusWord peer_and_tag;  // CallWords::pack(); the peer is a rank of the job
    StatusWord context;
    StatusWord number;          // from 1, of the messages between these two in this direction
    StatusWord bytes_and_kind;  // kArrived, code_of() its protocol, and the bytes
    static constexpr std::uint64_t kArrived = std::uint64_t{1} << 63;
    static constexpr int kBytesBits = 60;
};

/// A line of the program: the address to which its call returns.
struct ProfileCaller {
    StatusWord object;  // the number of its file, plus 1; 0: unknown
    StatusWord offset;  // in the file's own addresses
    /// A line of Python: "python:FUNCTION:FILE" in place of the file, and the line as offset.
    static constexpr const char* kPython = "python:";
};

struct ProfileCommunicator {
    StatusWord context;  // plus 1; 0: a free entry
    StatusWord members;
    StatusText<StatusCommunicator::kNameBytes> name;
};

struct ProfileHeader {
    static constexpr std::uint64_t kMagic = 0x747574746970'03;  // "tuttip", and the version of this layout
    static constexpr std::size_t kAggregates = 4096;
    static constexpr std::size_t kMostPeers = 4096;  // the entry behind them is that of all others
    static constexpr std::size_t kMostEvents = std::size_t{1} << 24;
    static constexpr std::size_t kCallers = 1024;
    static constexpr std::size_t kObjects = 64;
    static constexpr std::size_t kPathBytes = 512;
    static constexpr std::size_t kCommunicators = 64;

    StatusWord magic, size_bytes;  // release: stored when the page is there
    StatusWord pid;
    StatusWord peers;   // entries, without that of the others
    StatusWord events;  // entries of each of the two rings; 0: there are none
    StatusWord ticks_are_of_processor;
    StatusWord joined_ticks, joined_ns;  // the same moment on both clocks
    StatusWord left_ticks;               // 0: the rank has not left

    StatusWord open_ticks;  // when the call began that the rank is in; 0: in none, or with many threads
    StatusCall open;

    // Messages that were sent, by MessageProtocol, once it is known how they went.
    std::array<StatusWord, kMessageProtocols> protocol_messages, protocol_bytes;

    StatusWord left_out_calls, left_out_ticks, left_out_waiting_ticks;  // of a full table of aggregates
    StatusWord events_written, messages_written;
    StatusWord callers_used, objects_used;
    std::array<ProfileCaller, kCallers> callers;
    std::array<StatusText<kPathBytes>, kObjects> objects;
    std::array<ProfileCommunicator, kCommunicators> communicators;
};

/// Memory that holds a profile: the rank's own, or a rank's that its daemon has mapped.
class ProfileMemory {
public:
    ProfileMemory() noexcept = default;
    /// Empty if there can be none. `events`: see ProfileHeader.
    static ProfileMemory create(std::size_t ranks, std::size_t events) noexcept;
    /// Maps a rank's memory for reading; empty if it is none of this version.
    static ProfileMemory open(base::UniqueFd descriptor) noexcept;
    ProfileMemory(ProfileMemory&& other) noexcept { *this = std::move(other); }
    ProfileMemory& operator=(ProfileMemory&& other) noexcept;
    ~ProfileMemory();

    explicit operator bool() const noexcept { return bytes_ != nullptr; }
    ProfileHeader& operator*() const noexcept { return *reinterpret_cast<ProfileHeader*>(bytes_); }
    ProfileHeader* operator->() const noexcept { return &**this; }
    std::span<ProfileAggregate> aggregates() const noexcept { return aggregates_; }
    /// Entries by rank of the job; the last one is of all others.
    std::span<ProfilePeer> peers() const noexcept { return peers_; }
    std::span<ProfileEvent> events() const noexcept { return events_; }
    std::span<ProfileMessage> messages() const noexcept { return messages_; }
    base::UniqueFd take_descriptor() noexcept { return std::move(descriptor_); }

private:
    void set_tables(std::size_t peers, std::size_t events) noexcept;

    std::byte* bytes_ = nullptr;
    std::size_t size_bytes_ = 0;
    std::span<ProfileAggregate> aggregates_;
    std::span<ProfilePeer> peers_;
    std::span<ProfileEvent> events_;
    std::span<ProfileMessage> messages_;
    base::UniqueFd descriptor_;
};

}  // namespace tutti::observe
