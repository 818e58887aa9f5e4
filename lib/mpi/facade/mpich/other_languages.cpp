#include "lib/mpi/facade/mpich/other_languages.hpp"

#include <map>
#include <mutex>

#include "lib/mpi/object/error_handler.hpp"

namespace tutti::mpi::facade {

namespace {

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

void call_cxx_operator(const UserFunction& function, void* in, void* inout, const int* length,
                       const int* datatype)
{
    reinterpret_cast<void (*)(void*, void*, int, int, Function*)>(function.cxx_caller)(
        in, inout, *length, *datatype, reinterpret_cast<Function*>(function.small));
}

template <class T>
void call_cxx_error_handler(const ErrorHandler& handler, Function* function, HandleOf<T>* object, int* code,
                            const char*)
{
    constexpr int kOfCommunicators = 0;
    constexpr int kOfFiles = 1;
    constexpr int kOfWindows = 2;
    constexpr int kKind = std::is_same_v<T, MPI_Win>    ? kOfWindows
                          : std::is_same_v<T, MPI_File> ? kOfFiles
                                                        : kOfCommunicators;
    reinterpret_cast<void (*)(int, HandleOf<T>*, int*, Function*)>(handler.cxx_caller)(kKind, object, code,
                                                                                       function);
}
template void call_cxx_error_handler<MPI_Comm>(const ErrorHandler&, Function*, int*, int*, const char*);
template void call_cxx_error_handler<MPI_File>(const ErrorHandler&, Function*, const void**, int*,
                                               const char*);
template void call_cxx_error_handler<MPI_Win>(const ErrorHandler&, Function*, int*, int*, const char*);

void remember_proxies(int key, const Proxies& proxies)
{
    const std::lock_guard lock(all_proxies().mutex);
    all_proxies().by_key[key] = proxies;
}

void remember_kind(int key, int kind)
{
    const std::lock_guard lock(all_proxies().mutex);
    if (const auto found = all_proxies().by_key.find(key); found != all_proxies().by_key.end())
        found->second.kind = kind;
}

std::optional<int> call_copy_proxy(Function* function, int object, int key, void* extra_state, void* value,
                                   void* copied, int* is_copied)
{
    const Proxies proxies = proxies_of(key);
    if (proxies.copy == nullptr)
        return std::nullopt;
    return proxies.copy(function, object, key, extra_state, proxies.kind, value, static_cast<void**>(copied),
                        is_copied);
}

std::optional<int> call_delete_proxy(Function* function, int object, int key, void* value, void* extra_state)
{
    const Proxies proxies = proxies_of(key);
    if (proxies.remove == nullptr)
        return std::nullopt;
    return proxies.remove(function, object, key, proxies.kind, value, extra_state);
}

}  // namespace tutti::mpi::facade
