#include "lib/mpi/abi/handle_numbers.hpp"

#include <mutex>
#include <unordered_map>
#include <vector>

namespace tutti::mpi {

namespace {

// The handle of a created object is its address. An address keeps its integer after the object's end: the
// integer then leads to what the address is, a freed object or a new one.
struct HandleNumbers {
    static constexpr std::uintptr_t kFirst = 4096;

    std::mutex mutex;
    std::unordered_map<std::uintptr_t, int> numbers;
    std::vector<std::uintptr_t> handles;  // by number - kFirst
};

// Never destroyed: handles may be converted after main.
HandleNumbers& handle_numbers()
{
    static HandleNumbers& all = *new HandleNumbers;
    return all;
}

}  // namespace

int number_of_handle(std::uintptr_t handle)
{
    HandleNumbers& all = handle_numbers();
    if (handle < all.kFirst)
        return static_cast<int>(handle);
    const std::lock_guard lock(all.mutex);
    const auto next = static_cast<int>(all.kFirst + all.handles.size());
    const auto [place, is_new] = all.numbers.try_emplace(handle, next);
    if (is_new)
        all.handles.push_back(handle);
    return place->second;
}

std::uintptr_t handle_of_number(int number, std::uintptr_t none)
{
    HandleNumbers& all = handle_numbers();
    const auto value = static_cast<std::uintptr_t>(number);
    if (number < 0)
        return none;
    if (value < all.kFirst)
        return value;
    const std::lock_guard lock(all.mutex);
    return value - all.kFirst < all.handles.size() ? all.handles[value - all.kFirst] : none;
}

}  // namespace tutti::mpi
