#include "lib/core/windows/key_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "lib/core/process/process.hpp"
#include "tutti/allocate.hpp"

namespace tutti::detail {

namespace {

// Of one frame, and its answer.
constexpr std::size_t kMostKeys = 2048;
// Chunks of memory for rows: each as large as all before it, within limits. Pages are used when rows are.
constexpr std::size_t kFirstChunkBytes = 1u << 20;
constexpr std::size_t kMostChunkBytes = 256u << 20;
constexpr std::size_t kRowAlignment = 16;

template <class T>
std::vector<T> all_of(std::span<const std::byte> payload, int peer)
{
    if (payload.size() % sizeof(T) != 0)
        protocol::corrupt(peer, "a window's frame of keys of the wrong length");
    std::vector<T> values(payload.size() / sizeof(T));
    std::memcpy(values.data(), payload.data(), payload.size());
    return values;
}

// What is known stays.
constexpr auto kKeep = [](auto&, auto&&) {};

}  // namespace

void KeyDirectory::free() noexcept
{
    for (void* const chunk : std::exchange(chunks_, {}))
        deallocate(chunk);
}

// By the upper half of the hash, as the pairs of map_reduce: tables find their slots by the lower one.
int KeyDirectory::owner_of(std::uint64_t key) const noexcept
{
    const auto count = static_cast<std::uint64_t>(owners().size());
    return owners()[(hash_of(key) >> 32) * count >> 32];
}

std::vector<KeyPlace> KeyDirectory::places(EngineLock& lock, std::string_view operation,
                                           std::span<const KeyedRow> rows, bool looks_only)
{
    std::vector<KeyPlace> places(rows.size());
    std::vector<Asked> parts;
    std::map<int, std::size_t> open;  // the part of each owner that takes more
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (const KeyPlace* const known = known_.find(hash_of(rows[i].key), rows[i].key)) {
            places[i] = *known;
            continue;
        }
        const int owner = owner_of(rows[i].key);
        const auto [part, is_new] = open.try_emplace(owner, parts.size());
        if (is_new || parts[part->second].keys.size() == kMostKeys) {
            part->second = parts.size();
            parts.emplace_back().owner = owner;
        }
        parts[part->second].keys.push_back({rows[i].key, looks_only ? 0 : rows[i].bytes});
        parts[part->second].of.push_back(i);
    }
    ask(lock, operation, parts, places);
    if (looks_only)
        return places;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (places[i].bytes != rows[i].bytes)
            throw Error(ErrorCode::invalid_argument, operation,
                        fmt::format("the row of key {} has {} bytes since its first use, this call names {}",
                                    rows[i].key, places[i].bytes, rows[i].bytes),
                        places[i].owner);
    return places;
}

// All owners at once.
void KeyDirectory::ask(EngineLock& lock, std::string_view operation, std::span<Asked> parts,
                       std::vector<KeyPlace>& places)
{
    // However this ends, no answer comes to what is gone.
    struct End {
        std::span<const Asked> parts;
        std::map<std::uint64_t, Asked*>& by_id;
        ~End()
        {
            for (const Asked& part : parts)
                by_id.erase(part.id);
        }
    } const end{parts, asked_};
    for (Asked& part : parts)
        send(operation, part);
    for (const Asked& part : parts) {
        const WindowAim aim{.target = part.owner, .bytes = part.keys.size() * sizeof(Question)};
        waits_.await(lock, operation, part.owner, aim, [&] { return part.is_answered; });
        if (!part.failure.empty())
            throw Error(ErrorCode::invalid_argument, operation, "a row cannot be made: " + part.failure,
                        part.owner);
        note(part, places);
    }
}

void KeyDirectory::send(std::string_view operation, Asked& asked)
{
    if (asked.owner == window_.rank()) {
        answer(asked.keys, asked.answers, asked.failure);
        asked.is_answered = true;
        return;
    }
    asked.id = ++ids_;
    asked_.emplace(asked.id, &asked);
    try {
        window_.send(asked.owner, WindowHeader::What::keys, asked.id, 0,
                     std::as_bytes(std::span(asked.keys)));
    } catch (const Error&) {
        waits_.throw_unsent(operation, asked.owner);  // the question may connect to it
    }
}

void KeyDirectory::answer(std::span<const Question> questions, std::vector<Answer>& answers,
                          std::string& failure)
{
    try {
        for (const Question& question : questions)
            answers.push_back(find_or_make(question));
    } catch (const std::exception& error) {
        failure = std::string(error.what()).substr(0, kMostWordsBytes);
    }
}

// Answers of an owner are remembered.
void KeyDirectory::note(const Asked& asked, std::vector<KeyPlace>& places)
{
    for (std::size_t i = 0; i < asked.keys.size(); ++i) {
        const Answer& answer = asked.answers[i];
        KeyPlace& place = places[asked.of[i]];
        place = {answer.address, answer.bytes, nullptr, asked.owner};
        if (answer.address == 0)
            continue;
        place.memory = attachments_.find(asked.owner, answer.address, answer.bytes);
        known_.add(hash_of(asked.keys[i].key), asked.keys[i].key, KeyPlace(place), kKeep);
    }
}

KeyDirectory::Answer KeyDirectory::find_or_make(const Question& question)
{
    if (const OwnRow* const found = own_.find(hash_of(question.key), question.key))
        return {reinterpret_cast<std::uintptr_t>(found->memory), found->bytes};
    if (question.bytes == 0)
        return {0, 0};
    const std::size_t state_bytes = rows_of_keys_.state_bytes(question.bytes);
    if (question.bytes > SIZE_MAX / 4 || state_bytes > SIZE_MAX / 4)
        throw Error(ErrorCode::out_of_memory, "push", "a row of a key is too long");
    std::byte* const memory = new_row(question.bytes + state_bytes);
    rows_of_keys_.initialise(question.key, {memory, question.bytes}, {memory + question.bytes, state_bytes});
    own_.add(hash_of(question.key), question.key, {memory, question.bytes}, kKeep);
    return {reinterpret_cast<std::uintptr_t>(memory), question.bytes};
}

std::byte* KeyDirectory::new_row(std::size_t bytes)
{
    bytes = (bytes + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
    if (bytes > rest_.size()) {
        const std::size_t doubled = kFirstChunkBytes << std::min<std::size_t>(chunks_.size(), 8);
        const std::size_t chunk_bytes = std::max(bytes, std::min(doubled, kMostChunkBytes));
        void* const chunk = chunks_.emplace_back(allocate(chunk_bytes));
        attachments_.attach_held(chunk, chunk_bytes);
        rest_ = {static_cast<std::byte*>(chunk), chunk_bytes};
    }
    std::byte* const row = rest_.data();
    rest_ = rest_.subspan(bytes);
    return row;
}

std::vector<KeyedRow> KeyDirectory::own_rows() const
{
    std::vector<KeyedRow> rows;
    rows.reserve(own_.size());
    for (const auto& [key, row] : own_.pairs())
        rows.push_back({key, row.memory, row.bytes});
    return rows;
}

void KeyDirectory::serve(int rank, const WindowHeader& header, std::span<const std::byte> payload)
{
    std::vector<Answer> answers;
    std::string failure;
    answer(all_of<Question>(payload, window_.world_rank(rank)), answers, failure);
    if (failure.empty())
        window_.send(rank, WindowHeader::What::places, header.id, 0, std::as_bytes(std::span(answers)));
    else
        window_.send(rank, WindowHeader::What::places, header.id, 1, std::as_bytes(std::span(failure)));
}

void KeyDirectory::take_places(int rank, const WindowHeader& header, std::span<const std::byte> payload)
{
    const auto found = asked_.find(header.id);
    if (found == asked_.end())
        return;  // its wait has failed
    const int peer = window_.world_rank(rank);
    Asked& asked = *found->second;
    if (asked.owner != rank || asked.is_answered)
        protocol::corrupt(peer, "an answer that was not asked for");
    if (header.detail != 0) {
        asked.failure.assign(reinterpret_cast<const char*>(payload.data()), payload.size());
    } else {
        asked.answers = all_of<Answer>(payload, peer);
        if (asked.answers.size() != asked.keys.size())
            protocol::corrupt(peer, "places of other keys than were asked for");
    }
    asked.is_answered = true;
}

}  // namespace tutti::detail
