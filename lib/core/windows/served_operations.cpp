#include "lib/core/windows/served_operations.hpp"

#include <cstring>
#include <optional>
#include <string_view>

#include "lib/core/process/process.hpp"
#include "lib/core/windows/element_update.hpp"

namespace tutti::detail {

using What = WindowHeader::What;

namespace {

template <class T>
T read(std::span<const std::byte> payload, std::size_t offset, int peer)
{
    T value;
    if (payload.size() < offset || payload.size() - offset < sizeof value)
        protocol::corrupt(peer, "a window's frame that is too short");
    std::memcpy(&value, payload.data() + offset, sizeof value);
    return value;
}

}  // namespace

// What a frame reads, if it reads bytes in a row and does nothing else: they are sent from where they are.
// Reads of elements have them for themselves meanwhile. A piece of a row is read so where no rule sees whole
// rows.
bool ServedOperations::send_only_read(int rank, const WindowHeader& header,
                                      std::span<const std::byte> payload) const
{
    const int peer = window_.world_rank(rank);
    const auto head = read<WindowOperation>(payload, 0, peer);
    const bool reads_elements =
        head.fetches && head.update.kind == Update::Kind::no_op &&
        (head.kind == WindowOperation::Kind::update ||
         (head.kind == WindowOperation::Kind::rows && !(head.is_piece && row_updates_.has_rule())));
    if ((head.kind != WindowOperation::Kind::get && !reads_elements) || head.runs != 1u + head.is_piece ||
        payload.size() != aligned_in_frame(sizeof head + head.runs * sizeof(TargetRun)))
        return false;
    const auto run = read<TargetRun>(payload, sizeof head, peer);
    const std::byte* const there = memory_at(run);
    if (there == nullptr || run.bytes != head.bytes || run.bytes > kMostWindowBytes)
        return false;
    std::optional<Alone> alone;
    if (reads_elements)
        alone.emplace(targets_.updater(window_.rank()));
    window_.send(rank, What::done, header.id, 0, {there, run.bytes});
    return true;
}

// nullptr: there is none.
std::byte* ServedOperations::memory_at(const TargetRun& run) const
{
    if (window_.flavor() == WindowFlavor::dynamic)
        return attachments_.has(run.offset, run.bytes)
                   ? reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(run.offset))
                   : nullptr;
    const WindowTarget& own = targets_.own();
    const bool fits = run.offset <= own.size_bytes && run.bytes <= own.size_bytes - run.offset;
    return fits ? own.memory + run.offset : nullptr;
}

// Only an origin of a dynamic window cannot know better.
void ServedOperations::refuse(int rank, std::uint64_t id, std::uint64_t part, const TargetRun& run) const
{
    if (window_.flavor() != WindowFlavor::dynamic)
        protocol::corrupt(window_.world_rank(rank), "an operation outside a window");
    window_.send(rank, What::refusal, id, part, std::as_bytes(std::span(&run, 1)));
}

/// An operation, or what a frame has of it.
struct ServedOperations::Part {
    WindowOperation head;
    std::span<const std::byte> payload;  // the frame's, from its runs on
    int rank;
    std::uint64_t frame;
    std::uint64_t number;  // in the frame

    std::size_t runs_bytes() const noexcept { return head.runs * sizeof(TargetRun); }
    const std::byte* data() const noexcept { return payload.data() + runs_bytes(); }
    std::size_t bytes() const noexcept
    {
        return aligned_in_frame(sizeof head + runs_bytes() + head.data_bytes());
    }
};

void ServedOperations::serve(int rank, const WindowHeader& header, std::span<const std::byte> payload)
{
    const int peer = window_.world_rank(rank);
    if (send_only_read(rank, header, payload))
        return;
    if (answer_ == nullptr)
        answer_ = std::make_unique_for_overwrite<std::byte[]>(kMostWindowBytes);
    answer_bytes_ = 0;
    std::uint64_t number = 0;
    for (std::size_t place = 0; place < payload.size(); ++number) {
        const auto head = read<WindowOperation>(payload, place, peer);
        const Part part{head, payload.subspan(place + sizeof head), rank, header.id, number};
        if (head.bytes > kMostWindowBytes - (head.answers() ? answer_bytes_ : 0) ||
            head.runs > kMostWindowBytes || head.kind > WindowOperation::Kind::rows ||
            part.payload.size() < part.runs_bytes() + head.data_bytes())
            protocol::corrupt(peer, "a window's frame of the wrong length");
        serve_part(part);
        place += part.bytes();
    }
    if (header.detail != 0 || answer_bytes_ != 0)
        window_.send(rank, What::done, header.id, 0, {answer_.get(), answer_bytes_});
}

// Of an operation that is refused, the rest is left out.
void ServedOperations::serve_part(const Part& part)
{
    const int peer = window_.world_rank(part.rank);
    std::byte* const answer = part.head.answers() ? answer_.get() + answer_bytes_ : nullptr;
    answer_bytes_ += part.head.answers() ? part.head.bytes : 0;
    if (part.head.kind == WindowOperation::Kind::rows)
        return serve_rows(part, answer);
    std::size_t done = 0;
    for (std::size_t i = 0; i < part.head.runs; ++i) {
        const auto run = read<TargetRun>(part.payload, i * sizeof(TargetRun), peer);
        if (run.bytes > part.head.bytes - done)
            protocol::corrupt(peer, "a window's frame with runs that are too long");
        std::byte* const there = memory_at(run);
        if (there == nullptr) {
            if (answer != nullptr)
                std::memset(answer + done, 0, part.head.bytes - done);
            return refuse(part.rank, part.frame, part.number, run);
        }
        serve_run(part, done, {there, run.bytes}, answer == nullptr ? nullptr : answer + done);
        done += run.bytes;
    }
}

// Rows change in their order, one after the other. `answer`: what is pulled.
void ServedOperations::serve_rows(const Part& part, std::byte* answer)
{
    const int peer = window_.world_rank(part.rank);
    std::byte* const data = answer != nullptr ? answer : const_cast<std::byte*>(part.data());
    rows_.clear();
    std::size_t done = 0;
    for (std::size_t i = 0; i < part.head.runs; ++i) {
        const auto run = read<TargetRun>(part.payload, i * sizeof(TargetRun), peer);
        if (!part.head.is_piece && run.bytes > part.head.bytes - done)
            protocol::corrupt(peer, "a window's frame with rows that are too long");
        std::byte* const there = memory_at(run);
        if (there == nullptr) {
            if (answer != nullptr)
                std::memset(answer, 0, part.head.bytes);
            return refuse(part.rank, part.frame, part.number, run);
        }
        rows_.push_back({data + done, run.offset, run.bytes, there});
        done += part.head.is_piece ? 0 : run.bytes;
    }
    try {
        apply_rows(part, data);
    } catch (const RuleFailure& failure) {
        if (answer != nullptr)
            std::memset(answer, 0, part.head.bytes);
        window_.send(part.rank, What::failure, part.frame, part.number,
                     std::as_bytes(std::span(std::string_view(failure.words()).substr(0, kMostWordsBytes))));
    }
}

void ServedOperations::apply_rows(const Part& part, std::byte* data)
{
    if (!part.head.is_piece)
        return row_updates_.apply(window_.rank(), rows_, part.head.update);
    const bool is_whole = rows_.size() == 2 && rows_[0].bytes == part.head.bytes;
    const std::uint64_t begin = is_whole ? rows_[0].there - rows_[1].there : 0;
    if (!is_whole || begin > rows_[1].bytes || part.head.bytes > rows_[1].bytes - begin)
        protocol::corrupt(window_.world_rank(part.rank), "a window's frame with a piece of no row");
    row_updates_.apply_piece(part.rank, {rows_[1], begin, part.head.bytes, data}, part.head.update);
}

void ServedOperations::serve_run(const Part& part, std::size_t done, std::span<std::byte> there,
                                 std::byte* before)
{
    using Kind = WindowOperation::Kind;
    const std::byte* const data = part.head.data_bytes() == 0 ? nullptr : part.data() + done;
    switch (part.head.kind) {
        case Kind::put:
            std::memcpy(there.data(), data, there.size());
            return;
        case Kind::get:
            std::memcpy(before, there.data(), there.size());
            return;
        case Kind::update: {
            const ElementUpdate element(part.head.update);
            return element.apply(targets_.updater(window_.rank()), there.data(), data, before,
                                 there.size() / element.element_bytes());
        }
        case Kind::swap:
            if (there.size() != part.head.bytes || there.size() > WindowOperation::kMostSwappedBytes)
                protocol::corrupt(window_.world_rank(part.rank), "a swap of several elements");
            return compare_and_swap(targets_.updater(window_.rank()), there.data(), data, data + there.size(),
                                    before, there.size());
        case Kind::rows:
            return;  // serve_rows()
    }
}

}  // namespace tutti::detail
