// Registered memory: registered when first needed, and kept where that is safe.
//
// A software provider's registration is a list of addresses that peers may read. It stays valid when the
// memory is freed and mapped anew, so a number of idle ones is kept; the longest unused is dropped first. An
// adapter's registration pins the pages of its time. Kept after its use, it could send pages that the program
// does not see any more. So it ends with its last user. The providers of adapters keep the costly parts in
// caches of their own, which watch the program's mappings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>

namespace tutti::transport::ofi {

/// The provider's answer for registered memory.
struct Registration {
    std::uint64_t key = 0;       // peers name the memory by it
    void* descriptor = nullptr;  // local operations name the memory by it
    void* handle = nullptr;      // ends the registration
};

/// Registers memory without a cache.
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
        bool found;  // later calls can find it: it is in the map
        std::list<Entry*>::iterator idle;
    };

    /// Keeps at most `most_idle` unused registrations. The registrar outlives the cache.
    RegistrationCache(Registrar& registrar, std::size_t most_idle)
        : registrar_(registrar), most_idle_(most_idle)
    {
    }
    ~RegistrationCache() { clear(); }
    RegistrationCache(const RegistrationCache&) = delete;
    RegistrationCache& operator=(const RegistrationCache&) = delete;

    /// A registration of at least these bytes; each call needs a release(). nullptr when the provider refuses
    /// even after all idle ones are dropped.
    Entry* acquire(std::span<const std::byte> memory);
    void release(Entry& entry) noexcept;
    /// Ends all registrations, also those in use.
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
    ByBegin found_;           // none lies within another, so the ends are in order, too
    std::list<Entry*> idle_;  // longest unused first
};

}  // namespace tutti::transport::ofi
