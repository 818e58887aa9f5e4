#include "lib/core/windows/row_updates.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "lib/engine/protocol/frames.hpp"

namespace tutti::detail {

namespace {

// Rows that a rank has for itself at a time: as many as others may wait for.
constexpr std::size_t kRowsBytes = 32u << 10;
// Rows lie anywhere, so the CPU is told of those to come, and of so many bytes of each.
constexpr std::size_t kRowsAhead = 8;
constexpr std::size_t kLine = 64;
constexpr std::size_t kBytesAhead = 4 * kLine;

void prefetch(const MappedRow& row) noexcept
{
    for (std::size_t at = 0; at < std::min<std::size_t>(row.bytes, kBytesAhead); at += kLine)
        __builtin_prefetch(row.memory + at, 1);
}

}  // namespace

void RowUpdates::apply_rule(int rank, const MappedRow& row) const
{
    if (!rule_)
        throw RuleFailure(rank, "this rank has none; all ranks make a table with the same");
    const WindowTarget& target = targets_[rank];
    try {
        rule_({row.memory, row.bytes, target.memory, target.size_bytes}, row.here);
    } catch (const std::exception& error) {
        throw RuleFailure(rank, error.what());
    } catch (...) {
        throw RuleFailure(rank, "it threw what is no std::exception");
    }
}

void RowUpdates::apply(int rank, std::span<const MappedRow> rows, const Update& update)
{
    const bool by_rule = update.kind == Update::Kind::rule;
    const bool reads = update.kind == Update::Kind::no_op;
    const ElementUpdate element(by_rule ? Update{Update::Kind::no_op, Op::sum, DataType::uint8} : update);
    const bool as_a_whole = by_rule || rule_ != nullptr;
    std::size_t fetched = 0;  // into the CPU's caches
    while (!rows.empty()) {
        std::size_t count = 1;
        for (std::size_t bytes = rows[0].bytes; count < rows.size(); ++count)
            if (bytes += rows[count].bytes; bytes > kRowsBytes)
                break;
        for (; fetched < std::min(kRowsAhead, rows.size()); ++fetched)
            prefetch(rows[fetched]);
        if (count == 1 && !as_a_whole) {
            const MappedRow& row = rows[0];
            element.apply(targets_.updater(rank), row.memory, reads ? nullptr : row.here,
                          reads ? row.here : nullptr, row.bytes / element.element_bytes());
        } else {
            const Alone alone(targets_.updater(rank));
            for (std::size_t i = 0; i < count; ++i) {
                if (i + kRowsAhead < rows.size())
                    prefetch(rows[i + kRowsAhead]);
                const MappedRow& row = rows[i];
                if (by_rule)
                    apply_rule(rank, row);
                else
                    element.apply_alone(row.memory, reads ? nullptr : row.here, reads ? row.here : nullptr,
                                        row.bytes / element.element_bytes());
            }
        }
        rows = rows.subspan(count);
        fetched -= std::min(fetched, count);
    }
}

void RowUpdates::apply_piece(int origin, const RowPiece& piece, const Update& update)
{
    const int own = window_.rank();
    if (rule_ == nullptr && update.kind != Update::Kind::rule) {
        const MappedRow part{piece.here, piece.row.there + piece.begin, piece.bytes,
                             piece.row.memory + piece.begin};
        return apply(own, {&part, 1}, update);
    }
    const bool reads = update.kind == Update::Kind::no_op;
    WholeRow& whole = whole_[origin];
    if (piece.begin == 0) {
        whole = {std::make_unique_for_overwrite<std::byte[]>(piece.row.bytes), piece.row.there, 0};
        if (reads) {
            const Alone alone(targets_.updater(own));
            std::memcpy(whole.bytes.get(), piece.row.memory, piece.row.bytes);
        }
    }
    if (whole.bytes == nullptr || whole.done != piece.begin || whole.there != piece.row.there)
        protocol::corrupt(window_.world_rank(origin), "a window's frame with a piece that is out of order");
    std::byte* const at = whole.bytes.get() + piece.begin;
    std::memcpy(reads ? piece.here : at, reads ? at : piece.here, piece.bytes);
    whole.done += piece.bytes;
    if (whole.done != piece.row.bytes)
        return;
    const WholeRow last = std::move(whole);
    whole_.erase(origin);
    const MappedRow row{last.bytes.get(), piece.row.there, piece.row.bytes, piece.row.memory};
    if (!reads)
        apply(own, {&row, 1}, update);
}

}  // namespace tutti::detail
