#include "transports/ofi/registration_cache.hpp"

#include <iterator>

namespace tutti::transport::ofi {

namespace {

// Registrations cover whole pages: the neighbours of a sent buffer are often sent next.
constexpr std::uintptr_t kPageBytes = 4096;

}  // namespace

RegistrationCache::Entry* RegistrationCache::acquire(std::span<const std::byte> memory)
{
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
    const std::uintptr_t end = begin + memory.size();
    auto behind = found_.upper_bound(begin);
    // Among those that begin before, the last one reaches farthest.
    if (behind != found_.begin() && std::prev(behind)->second->end >= end) {
        Entry& entry = *std::prev(behind)->second;
        use(entry);
        return &entry;
    }

    const std::uintptr_t first = begin & ~(kPageBytes - 1);
    const std::uintptr_t last = (end + kPageBytes - 1) & ~(kPageBytes - 1);
    const std::span pages(reinterpret_cast<const std::byte*>(first), last - first);
    auto registration = registrar_.add(pages);
    if (!registration) {
        end_idle_beyond(0);
        registration = registrar_.add(pages);
    }
    if (!registration)
        return nullptr;
    // Entries within the new one cannot be found again.
    for (auto place = found_.lower_bound(first); place != found_.end() && place->second->end <= last;) {
        const auto next = std::next(place);
        take_out(place);
        place = next;
    }
    auto made = std::make_unique<Entry>(Entry{first, last, *registration, 1, true, idle_.end()});
    Entry& entry = *made;
    entries_.emplace(&entry, std::move(made));
    found_.emplace(first, &entry);
    return &entry;
}

void RegistrationCache::use(Entry& entry) noexcept
{
    if (entry.users++ == 0) {
        idle_.erase(entry.idle);
        entry.idle = idle_.end();
    }
}

void RegistrationCache::release(Entry& entry) noexcept
{
    if (--entry.users != 0)
        return;
    entry.idle = idle_.insert(idle_.end(), &entry);
    if (!entry.found)
        end(entry);
    else
        end_idle_beyond(most_idle_);
}

// An entry in use lives until its last release.
void RegistrationCache::take_out(ByBegin::iterator place) noexcept
{
    Entry& entry = *place->second;
    found_.erase(place);
    entry.found = false;
    if (entry.users == 0)
        end(entry);
}

void RegistrationCache::end(Entry& entry) noexcept
{
    if (entry.idle != idle_.end())
        idle_.erase(entry.idle);
    if (entry.found)
        found_.erase(entry.begin);
    registrar_.remove(entry.registration);
    entries_.erase(&entry);
}

void RegistrationCache::end_idle_beyond(std::size_t most) noexcept
{
    while (idle_.size() > most)
        end(*idle_.front());
}

void RegistrationCache::clear() noexcept
{
    for (const auto& [address, entry] : entries_)
        registrar_.remove(entry->registration);
    entries_.clear();
    found_.clear();
    idle_.clear();
}

}  // namespace tutti::transport::ofi
