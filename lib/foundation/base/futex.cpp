#include "lib/foundation/base/futex.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>

namespace tutti::base {

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) noexcept
{
    timespec timeout{};
    timespec* limit = nullptr;
    if (timeout_ns >= 0) {
        timeout.tv_sec = static_cast<time_t>(timeout_ns / 1'000'000'000);
        timeout.tv_nsec = static_cast<long>(timeout_ns % 1'000'000'000);
        limit = &timeout;
    }
    syscall(SYS_futex, &word, FUTEX_WAIT, expected, limit, nullptr, 0);
}

void futex_wake_all(std::atomic<std::uint32_t>& word) noexcept
{
    syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool membarrier_register() noexcept
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

bool membarrier_all() noexcept
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

bool membarrier_register_own() noexcept
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void membarrier_own() noexcept
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

}  // namespace tutti::base
