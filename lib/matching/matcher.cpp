#include "lib/matching/matcher.hpp"

#include "tutti/status.hpp"

namespace tutti::matching {

namespace {

constexpr unsigned index(KeyKind kind)
{
    return static_cast<unsigned>(kind);
}

KeyKind kind_of(const MatchKey& pattern) noexcept
{
    const unsigned tag = pattern.tag == tutti::any_tag ? index(KeyKind::any_tag) : 0u;
    const unsigned source = pattern.source == tutti::any_source ? index(KeyKind::any_source) : 0u;
    return static_cast<KeyKind>(tag | source);
}

// What a message with this envelope is called in the tables of a kind of wildcard.
MatchKey generalised(MatchKey envelope, KeyKind kind) noexcept
{
    if (index(kind) & index(KeyKind::any_tag))
        envelope.tag = tutti::any_tag;
    if (index(kind) & index(KeyKind::any_source))
        envelope.source = tutti::any_source;
    return envelope;
}

}  // namespace

void Matcher::post(PostedReceive& receive)
{
    const KeyKind kind = kind_of(receive.pattern);
    receive.posting_number = next_posting_number_++;
    posted_[index(kind)].insert(receive, receive.pattern);
    ++posted_count_;
    wild_count_ += kind != KeyKind::exact;
}

void Matcher::withdraw(PostedReceive& receive) noexcept
{
    const KeyKind kind = kind_of(receive.pattern);
    posted_[index(kind)].remove(receive);
    --posted_count_;
    wild_count_ -= kind != KeyKind::exact;
}

PostedReceive* Matcher::match_arrival(const MatchKey& envelope) noexcept
{
    PostedReceive* first = posted_[index(KeyKind::exact)].find(envelope);
    if (wild_count_ != 0) [[unlikely]] {
        for (const KeyKind kind : {KeyKind::any_tag, KeyKind::any_source, KeyKind::any}) {
            auto& table = posted_[index(kind)];
            if (table.empty())
                continue;
            PostedReceive* found = table.find(generalised(envelope, kind));
            if (found != nullptr && (first == nullptr || found->posting_number < first->posting_number))
                first = found;
        }
    }
    if (first != nullptr)
        withdraw(*first);
    return first;
}

void Matcher::add_unexpected(UnexpectedMessage& message)
{
    arrivals_.push_back(message);
    exact_.insert(message, message.envelope);
    if (indexed_[index(KeyKind::any_tag)])
        any_tag_.insert(message, generalised(message.envelope, KeyKind::any_tag));
    if (indexed_[index(KeyKind::any_source)])
        any_source_.insert(message, generalised(message.envelope, KeyKind::any_source));
    if (indexed_[index(KeyKind::any)])
        any_.insert(message, generalised(message.envelope, KeyKind::any));
}

template <KeyKind kind>
UnexpectedMessage* Matcher::find_wild(UnexpectedTable<kind>& table, const MatchKey& pattern)
{
    if (!indexed_[index(kind)]) {
        indexed_[index(kind)] = true;
        for (auto* message = arrivals_.front(); message != nullptr; message = arrivals_.after(*message))
            table.insert(*message, generalised(message->envelope, kind));
    }
    return table.find(pattern);
}

UnexpectedMessage* Matcher::find_unexpected(const MatchKey& pattern)
{
    if (exact_.empty()) [[likely]]
        return nullptr;
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
