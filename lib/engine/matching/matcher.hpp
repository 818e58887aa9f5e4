// Matching: decides which posted receive gets an arriving message, in MPI's order.
//
// A receive takes the earliest message that fits; a message takes the earliest posted receive that fits. Both
// sides are hash tables by (context, source, tag), and a wildcard is a value like any other. A message looks
// for its exact key and, only while receives with wildcards are posted, for the three wildcard keys. The
// lowest posting number wins.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/engine/matching/match_table.hpp"
#include "lib/foundation/base/intrusive_list.hpp"
#include "tutti/status.hpp"

namespace tutti::matching {

/// Kinds of keys by their wildcards. The value is the index of the kind's table.
enum class KeyKind : unsigned { exact = 0, any_tag = 1, any_source = 2, any = 3 };
inline constexpr unsigned kKeyKinds = 4;

inline KeyKind kind_of(const MatchKey& pattern) noexcept
{
    return static_cast<KeyKind>(unsigned{pattern.tag() == any_tag} | unsigned{pattern.source() == any_source}
                                                                         << 1);
}

struct PostedTag;
struct ArrivalTag;
template <KeyKind>
struct UnexpectedTag;

/// Part of a receive request. Linked while the request is posted. `key` is the pattern that it asks for.
struct PostedReceive : TableHook<PostedTag> {
    std::uint64_t posting_number = 0;
};

/// Part of an unexpected message. In each table its key is its envelope with that table's wildcards.
struct UnexpectedMessage : TableHook<UnexpectedTag<KeyKind::exact>>,
                           TableHook<UnexpectedTag<KeyKind::any_tag>>,
                           TableHook<UnexpectedTag<KeyKind::any_source>>,
                           TableHook<UnexpectedTag<KeyKind::any>>,
                           base::ListHook<ArrivalTag> {
    MatchKey envelope;
};

/// Owns no entries: the callers do. Not thread-safe: the engine's lock protects it.
class Matcher {
public:
    /// Adds `receive`, whose key is set. The caller has found no fitting unexpected message.
    void post(PostedReceive& receive)
    {
        receive.posting_number = next_posting_number_++;
        const KeyKind kind = kind_of(receive.key);
        if (kind == KeyKind::exact) [[likely]]
            return posted_[static_cast<unsigned>(KeyKind::exact)].insert(receive);
        posted_[static_cast<unsigned>(kind)].insert(receive);
        ++wild_count_;
    }
    /// Removes a posted receive, for a cancel.
    void withdraw(PostedReceive& receive) noexcept;
    /// Withdraws every posted receive for which `condition` holds, and calls `ended` with it. For rare
    /// events.
    template <class Condition, class Ended>
    void withdraw_if(Condition&& condition, Ended&& ended)
    {
        std::vector<PostedReceive*> found;
        for (auto& table : posted_) {
            table.for_each([&](PostedReceive& receive) {
                if (condition(receive))
                    found.push_back(&receive);
            });
        }
        for (PostedReceive* receive : found)
            withdraw(*receive);
        for (PostedReceive* receive : found)
            ended(*receive);
    }
    template <class Visit>
    void for_each_posted(Visit&& visit)
    {
        for (auto& table : posted_)
            table.for_each(visit);
    }
    /// Removes and returns the receive that a message with `envelope` goes to, or nullptr.
    PostedReceive* match_arrival(MatchKey envelope) noexcept
    {
        auto& exact = posted_[static_cast<unsigned>(KeyKind::exact)];
        PostedReceive* const found = exact.find(envelope);
        if (wild_count_ != 0) [[unlikely]]
            return match_wild(envelope, found);
        if (found != nullptr)
            exact.remove(*found);
        return found;
    }

    /// Adds a message, whose envelope is set, for which match_arrival() found no receive.
    void add_unexpected(UnexpectedMessage& message);
    /// The earliest unexpected message that fits `pattern`, or nullptr. It stays in the table.
    UnexpectedMessage* find_unexpected(const MatchKey& pattern)
    {
        return exact_.empty() ? nullptr : search_unexpected(pattern);
    }
    void remove_unexpected(UnexpectedMessage& message) noexcept;

    std::size_t posted_count() const noexcept;
    std::size_t unexpected_count() const noexcept { return exact_.size(); }
    /// Calls visit(message) for the oldest `most` messages.
    template <class Visit>
    void for_each_unexpected(std::size_t most, Visit&& visit)
    {
        for (auto* message = arrivals_.front(); message != nullptr && most != 0; --most) {
            visit(*message);
            message = arrivals_.after(*message);
        }
    }
    /// The oldest unexpected message, to free the rest at the end.
    UnexpectedMessage* oldest_unexpected() noexcept { return arrivals_.front(); }

private:
    template <KeyKind kind>
    using UnexpectedTable = MatchTable<UnexpectedMessage, UnexpectedTag<kind>>;

    PostedReceive* match_wild(MatchKey envelope, PostedReceive* exact) noexcept;
    UnexpectedMessage* search_unexpected(const MatchKey& pattern);
    template <KeyKind kind>
    static void index_message(UnexpectedTable<kind>& table, UnexpectedMessage& message);
    template <KeyKind kind>
    UnexpectedMessage* find_wild(UnexpectedTable<kind>& table, const MatchKey& pattern);

    std::array<MatchTable<PostedReceive, PostedTag>, kKeyKinds> posted_;
    std::size_t wild_count_ = 0;  // posted receives with a wildcard
    std::uint64_t next_posting_number_ = 0;

    // A wildcard table is filled at the first look-up of its kind: most programs never need it.
    base::IntrusiveList<UnexpectedMessage, ArrivalTag> arrivals_;
    UnexpectedTable<KeyKind::exact> exact_;
    UnexpectedTable<KeyKind::any_tag> any_tag_;
    UnexpectedTable<KeyKind::any_source> any_source_;
    UnexpectedTable<KeyKind::any> any_;
    std::array<bool, kKeyKinds> indexed_{true, false, false, false};
};

}  // namespace tutti::matching
