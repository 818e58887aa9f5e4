#include "lib/core/windows/served_operations.hpp"

#include <cstring>
#include <vector>

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
void ServedOperations::refuse(int rank, std::uint64_t id, const TargetRun& run) const
{
    if (window_.flavor() != WindowFlavor::dynamic)
        protocol::corrupt(window_.world_rank(rank), "an operation outside a window");
    window_.send(rank, What::refusal, id, 0, std::as_bytes(std::span(&run, 1)));
}

void ServedOperations::serve(int rank, const WindowHeader& header, std::span<const std::byte> payload)
{
    if (header.what == What::swap)
        serve_swap(rank, header, payload);
    else
        serve_transfer(rank, header, payload);
}

void ServedOperations::serve_swap(int rank, const WindowHeader& header, std::span<const std::byte> payload)
{
    const TargetRun run{header.detail, payload.size() / 2};
    std::byte before[16];
    if (run.bytes > sizeof before)
        protocol::corrupt(window_.world_rank(rank), "a window's frame that is too long");
    std::byte* const there = memory_at(run);
    if (there == nullptr)
        return refuse(rank, header.id, run);
    compare_and_swap(targets_.updater(window_.rank()), there, payload.data(), payload.data() + run.bytes,
                     before, run.bytes);
    window_.send(rank, What::answer, header.id, 0, {before, run.bytes});
}

void ServedOperations::serve_transfer(int rank, const WindowHeader& header,
                                      std::span<const std::byte> payload)
{
    const int peer = window_.world_rank(rank);
    const auto head = read<WindowTransfer>(payload, 0, peer);
    const std::size_t runs_bytes = head.runs * sizeof(TargetRun);
    const bool has_data =
        header.what == What::put || (header.what == What::update && head.update.kind != Update::Kind::no_op);
    if (head.bytes > kMostWindowBytes || runs_bytes > kMostWindowBytes ||
        (has_data && payload.size() != sizeof head + runs_bytes + head.bytes))
        protocol::corrupt(peer, "a window's frame of the wrong length");
    const std::byte* data = has_data ? payload.data() + sizeof head + runs_bytes : nullptr;
    const bool answers = header.what == What::get || head.fetches != 0;
    std::vector<std::byte> answer(answers ? head.bytes : 0);
    const ElementUpdate element(head.update);
    std::size_t done = 0;
    for (std::size_t i = 0; i < head.runs; ++i) {
        const auto run = read<TargetRun>(payload, sizeof head + i * sizeof(TargetRun), peer);
        if (run.bytes > head.bytes - done)
            protocol::corrupt(peer, "a window's frame with runs that are too long");
        std::byte* const there = memory_at(run);
        if (there == nullptr)
            return refuse(rank, header.id, run);
        std::byte* const before = answer.empty() ? nullptr : answer.data() + done;
        if (header.what == What::put)
            std::memcpy(there, data + done, run.bytes);
        else if (header.what == What::get)
            std::memcpy(before, there, run.bytes);
        else
            element.apply(targets_.updater(window_.rank()), there, data == nullptr ? nullptr : data + done,
                          before, run.bytes / element.element_bytes());
        done += run.bytes;
    }
    window_.send(rank, What::answer, header.id, 0, answer);
}

}  // namespace tutti::detail
