// Memory that a provider knows: registered when first needed, and kept where that is safe.
//
// Registrations of software providers are lists of addresses that peers may read; one whose memory was given
// back and mapped anew is as good as before, so idle ones are kept, up to a number, and the longest unused
// goes first. Those of adapters hold the pages that were there when they were made: kept beyond its use, one
// would send what the program no longer sees. They end with their last user; the providers of adapters keep
// what is costly about them in caches of their own, which watch the program's mappings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>

namespace tutti::transport::ofi {

/// What a provider says about memory that it has registered.
struct Registration {
    std::uint64_t key = 0;       // by which peers name it
    void* descriptor = nullptr;  // by which local operations do
    void* handle = nullptr;      // by which it is ended
};

/// Registers memory, uncached.
class Registrar {
public:
    /// Nothing when the provider refuses.
    virtual std::optional<Registration> add(std::span<const std::byte> memory) noexcept = 0;
    virtual void remove(const Registration& registration) noexcept = 0;

protected:
    ~Registrar() = default;
};

class RegistrationCache {
public:
    struct Entry {
        std::uintptr_t begin;
        std::uintptr_t end;
        Registration registration;
        unsigned users;
        bool found;  // by later calls: it is in the map
        std::list<Entry*>::iterator idle;
    };

    /// Keeps at most `most_idle` registrations that nobody uses. The registrar outlives the cache.
    RegistrationCache(Registrar& registrar, std::size_t most_idle)
        : registrar_(registrar), most_idle_(most_idle)
    {
    }
    ~RegistrationCache() { clear(); }
    RegistrationCache(const RegistrationCache&) = delete;
    RegistrationCache& operator=(const RegistrationCache&) = delete;

    /// A registration of at least these bytes; each call is to be met by a release(). nullptr when the
    /// provider refuses, also after all that is idle was given up.
    Entry* acquire(std::span<const std::byte> memory);
    void release(Entry& entry) noexcept;
    /// Ends all, used or not.
    void clear() noexcept;

    std::size_t size() const noexcept { return entries_.size(); }

private:
    using ByBegin = std::map<std::uintptr_t, Entry*>;

    void use(Entry& entry) noexcept;
    void take_out(ByBegin::iterator place) noexcept;
    void end(Entry& entry) noexcept;
    void end_idle_beyond(std::size_t most) noexcept;

    Registrar& registrar_;
    const std::size_t most_idle_;
    std::map<const Entry*, std::unique_ptr<Entry>> entries_;
    ByBegin found_;           // none within another, so their ends are in order, too
    std::list<Entry*> idle_;  // longest unused first
};

}  // namespace tutti::transport::ofi
