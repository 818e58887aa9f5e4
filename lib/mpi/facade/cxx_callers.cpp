#include "lib/mpi/facade/cxx_callers.hpp"

#include <map>
#include <mutex>

namespace tutti::mpi::facade {

namespace {

// Never destroyed: functions are called after main.
struct Callers {
    std::mutex mutex;
    std::map<void (*)(), void (*)()> by_function;
};
Callers& callers()
{
    static Callers& all = *new Callers;
    return all;
}

}  // namespace

void remember_cxx_caller(void (*function)(), void (*caller)())
{
    const std::lock_guard lock(callers().mutex);
    callers().by_function[function] = caller;
}

auto cxx_caller(void (*function)()) -> void (*)()
{
    const std::lock_guard lock(callers().mutex);
    const auto found = callers().by_function.find(function);
    return found == callers().by_function.end() ? nullptr : found->second;
}

}  // namespace tutti::mpi::facade
