// Rows of 64-bit keys in a dynamic window: their owners make them at first use, and every rank remembers the
// places that it has asked for. Rows never move, so a place stays right as long as the window lives.
//
//     places() --> what this rank knows
//         | else keys --> owner: finds or makes rows
//         <---- places --'
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/windows/window_attachments.hpp"
#include "lib/core/windows/window_waits.hpp"
#include "tutti/pair_table.hpp"

namespace tutti::detail {

/// A row in its owner's memory.
struct KeyPlace {
    std::uint64_t address;  // there; 0: the key has no row
    std::uint64_t bytes;
    std::byte* memory;  // where this process maps it, else nullptr
    int owner;          // a rank of the window
};

/// Under the engine's lock, which waits let go. Errors are thrown.
class KeyDirectory {
public:
    KeyDirectory(const WindowIdentity& window, WindowWaits& waits, WindowAttachments& attachments) noexcept
        : window_(window), waits_(waits), attachments_(attachments)
    {
    }
    KeyDirectory(const KeyDirectory&) = delete;
    KeyDirectory& operator=(const KeyDirectory&) = delete;
    /// Frees the memory of this rank's rows, which no rank accesses any more.
    void free() noexcept;

    /// Once, before any rank asks.
    void set(KeyedRows rows) { rows_of_keys_ = std::move(rows); }
    std::span<const int> owners() const noexcept { return rows_of_keys_.owners; }

    /// The places of rows; those that do not exist are made, with so many bytes. A row has the bytes of its
    /// first use. `looks_only`: makes none.
    std::vector<KeyPlace> places(EngineLock& lock, std::string_view operation, std::span<const KeyedRow> rows,
                                 bool looks_only);
    /// Rows of this rank, in the order in which they were made.
    std::vector<KeyedRow> own_rows() const;

    /// Frames from `rank`.
    void serve(int rank, const WindowHeader& header, std::span<const std::byte> payload);
    void take_places(int rank, const WindowHeader& header, std::span<const std::byte> payload);

private:
    // In frames. No bytes: it is only looked for.
    struct Question {
        std::uint64_t key;
        std::uint64_t bytes;
    };
    struct Answer {
        std::uint64_t address;
        std::uint64_t bytes;
    };
    struct OwnRow {
        std::byte* memory;
        std::uint64_t bytes;
    };
    // Keys that an owner is asked for, in one frame.
    struct Asked {
        int owner = 0;
        std::uint64_t id = 0;
        bool is_answered = false;
        std::vector<Question> keys;
        std::vector<std::size_t> of;  // where the places are wanted
        std::vector<Answer> answers;
        std::string failure;
    };

    int owner_of(std::uint64_t key) const noexcept;
    void answer(std::span<const Question> questions, std::vector<Answer>& answers, std::string& failure);
    Answer find_or_make(const Question& question);
    std::byte* new_row(std::size_t bytes);
    void ask(EngineLock& lock, std::string_view operation, std::span<Asked> parts,
             std::vector<KeyPlace>& places);
    void send(std::string_view operation, Asked& asked);
    void note(const Asked& asked, std::vector<KeyPlace>& places);

    const WindowIdentity& window_;
    WindowWaits& waits_;
    WindowAttachments& attachments_;
    KeyedRows rows_of_keys_;
    PairTable<std::uint64_t, OwnRow> own_;
    std::vector<void*> chunks_;  // of memory for own rows
    std::span<std::byte> rest_;  // of the last one
    PairTable<std::uint64_t, KeyPlace> known_;
    std::map<std::uint64_t, Asked*> asked_;  // by id, not answered
    std::uint64_t ids_ = 0;
};

}  // namespace tutti::detail
