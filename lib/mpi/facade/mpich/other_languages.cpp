#include "lib/mpi/facade/mpich/other_languages.hpp"

#include <map>
#include <mutex>

namespace tutti::mpi::facade {

namespace {

constexpr int kAddressInteger = 3;  // the kind of value

// Never destroyed: attributes are deleted after main.
struct AllProxies {
    std::mutex mutex;
    std::map<int, Proxies> by_key;
};
AllProxies& all_proxies()
{
    static AllProxies& all = *new AllProxies;
    return all;
}

Proxies proxies_of(int key)
{
    const std::lock_guard lock(all_proxies().mutex);
    const auto found = all_proxies().by_key.find(key);
    return found == all_proxies().by_key.end() ? Proxies() : found->second;
}

}  // namespace

void remember_proxies(int key, const Proxies& proxies)
{
    const std::lock_guard lock(all_proxies().mutex);
    all_proxies().by_key[key] = proxies;
}

std::optional<int> call_copy_proxy(Function* function, int object, int key, void* extra_state, void* value,
                                   void* copied, int* is_copied)
{
    CopyProxy* const proxy = proxies_of(key).copy;
    return proxy == nullptr ? std::nullopt
                            : std::optional(proxy(function, object, key, extra_state, kAddressInteger, value,
                                                  static_cast<void**>(copied), is_copied));
}

std::optional<int> call_delete_proxy(Function* function, int object, int key, void* value, void* extra_state)
{
    DeleteProxy* const proxy = proxies_of(key).remove;
    return proxy == nullptr
               ? std::nullopt
               : std::optional(proxy(function, object, key, kAddressInteger, value, extra_state));
}

}  // namespace tutti::mpi::facade
