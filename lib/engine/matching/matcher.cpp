#include "lib/engine/matching/matcher.hpp"

#include "tutti/status.hpp"

namespace tutti::matching {

namespace {

constexpr unsigned index(KeyKind kind)
{
    return static_cast<unsigned>(kind);
}

// The key of this envelope in the tables for a kind of wildcard.
MatchKey generalised(const MatchKey& envelope, KeyKind kind) noexcept
{
    return {envelope.context,
            index(kind) & index(KeyKind::any_source) ? tutti::any_source : envelope.source(),
            index(kind) & index(KeyKind::any_tag) ? tutti::any_tag : envelope.tag()};
}

}  // namespace

void Matcher::withdraw(PostedReceive& receive) noexcept
{
    const KeyKind kind = kind_of(receive.key);
    posted_[index(kind)].remove(receive);
    wild_count_ -= kind != KeyKind::exact;
}

// The receive that was posted first: `exact`, or one with wildcards that fits.
PostedReceive* Matcher::match_wild(MatchKey envelope, PostedReceive* exact) noexcept
{
    PostedReceive* first = exact;
    for (const KeyKind kind : {KeyKind::any_tag, KeyKind::any_source, KeyKind::any}) {
        auto& table = posted_[index(kind)];
        if (table.empty())
            continue;
        PostedReceive* found = table.find(generalised(envelope, kind));
        if (found != nullptr && (first == nullptr || found->posting_number < first->posting_number))
            first = found;
    }
    if (first != nullptr)
        withdraw(*first);
    return first;
}

std::size_t Matcher::posted_count() const noexcept
{
    std::size_t count = 0;
    for (const auto& table : posted_)
        count += table.size();
    return count;
}

void Matcher::add_unexpected(UnexpectedMessage& message)
{
    arrivals_.push_back(message);
    index_message(exact_, message);
    if (indexed_[index(KeyKind::any_tag)])
        index_message(any_tag_, message);
    if (indexed_[index(KeyKind::any_source)])
        index_message(any_source_, message);
    if (indexed_[index(KeyKind::any)])
        index_message(any_, message);
}

template <KeyKind kind>
void Matcher::index_message(UnexpectedTable<kind>& table, UnexpectedMessage& message)
{
    static_cast<TableHook<UnexpectedTag<kind>>&>(message).key = generalised(message.envelope, kind);
    table.insert(message);
}

template <KeyKind kind>
UnexpectedMessage* Matcher::find_wild(UnexpectedTable<kind>& table, const MatchKey& pattern)
{
    if (!indexed_[index(kind)]) {
        indexed_[index(kind)] = true;
        for (auto* message = arrivals_.front(); message != nullptr; message = arrivals_.after(*message))
            index_message(table, *message);
    }
    return table.find(pattern);
}

UnexpectedMessage* Matcher::search_unexpected(const MatchKey& pattern)
{
    switch (kind_of(pattern)) {
        case KeyKind::exact:
            return exact_.find(pattern);
        case KeyKind::any_tag:
            return find_wild(any_tag_, pattern);
        case KeyKind::any_source:
            return find_wild(any_source_, pattern);
        case KeyKind::any:
            return find_wild(any_, pattern);
    }
    return nullptr;
}

void Matcher::remove_unexpected(UnexpectedMessage& message) noexcept
{
    arrivals_.remove(message);
    exact_.remove(message);
    if (indexed_[index(KeyKind::any_tag)])
        any_tag_.remove(message);
    if (indexed_[index(KeyKind::any_source)])
        any_source_.remove(message);
    if (indexed_[index(KeyKind::any)])
        any_.remove(message);
}

}  // namespace tutti::matching
