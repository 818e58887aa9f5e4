// Replaces, as malloc.cpp does for the whole process, what the C library offers beside fork() for making
// children, and madvise(), which shared memory does not obey as ordinary memory does.
#include <dlfcn.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include "lib/heap/heap.hpp"
#include "lib/heap/process_fork.hpp"

namespace {

using namespace tutti;

// The C library's function of a name. It is looked for at the first call, which may come before any
// constructor.
template <class Function>
class Next {
public:
    explicit constexpr Next(const char* name) noexcept : name_(name) {}
    Function* find() noexcept
    {
        void* found = function_.load(std::memory_order_relaxed);
        if (found == nullptr) {
            found = dlsym(RTLD_NEXT, name_);
            function_.store(found, std::memory_order_relaxed);
        }
        return reinterpret_cast<Function*>(found);
    }

private:
    const char* name_;
    std::atomic<void*> function_{nullptr};
};

constinit Next<pid_t()> next_fork{"_Fork"};
constinit Next<int(int (*)(void*), void*, int, void*, void*, void*, void*)> next_clone{"clone"};
constinit Next<long(long, long, long, long, long, long, long)> next_syscall{"syscall"};
constinit Next<int(void*, std::size_t, int)> next_madvise{"madvise"};

// Whether this call of the system makes a child with memory of its own.
bool makes_child(long number, const long* arguments) noexcept
{
    std::uint64_t flags = 0;
    switch (number) {
#ifdef SYS_fork
        case SYS_fork:
            return true;
#endif
        case SYS_clone:
            flags = static_cast<std::uint64_t>(arguments[0]);
            break;
#ifdef SYS_clone3
        case SYS_clone3:  // who asks whether there is such a call gives it nothing
            if (arguments[0] == 0 || arguments[1] < CLONE_ARGS_SIZE_VER0)
                return false;
            flags = reinterpret_cast<const clone_args*>(arguments[0])->flags;
            break;
#endif
        default:
            return false;
    }
    return (flags & CLONE_VM) == 0;
}

// Calls make(), which returns in both processes, as fork() does.
template <class Make>
auto with_heap(heap::Child kind, Make make) noexcept
{
    heap::before_child(kind);
    const auto child = make();
    if (child == 0)
        heap::in_child();
    else
        heap::in_parent();
    return child;
}

[[gnu::constructor(101)]] void begin() noexcept
{
    next_fork.find();  // signal handlers may call it
}

}  // namespace

#define TUTTI_EXPORT extern "C" [[gnu::visibility("default")]]

// Signal handlers may call it, so the child can do nothing but start a program.
TUTTI_EXPORT pid_t _Fork() noexcept
{
    auto* const next = next_fork.find();
    if (next == nullptr) {
        errno = ENOSYS;
        return -1;
    }
    return with_heap(heap::Child::borrows, next);
}

TUTTI_EXPORT int clone(int (*function)(void*), void* stack, int flags, void* argument, ...) noexcept
{
    std::va_list list;
    va_start(list, argument);
    void* const parent_id = va_arg(list, void*);
    void* const storage = va_arg(list, void*);
    void* const child_id = va_arg(list, void*);
    va_end(list);
    auto* const next = next_clone.find();
    if ((flags & CLONE_VM) != 0)
        return next(function, stack, flags, argument, parent_id, storage, child_id);
    // A stack in the heap does not exist before in_child(): such a child gets a copy of this stack.
    if (heap::owns(static_cast<std::byte*>(stack) - 1)) {
        const auto bits = static_cast<unsigned>(flags);
        clone_args all{};
        all.flags = bits & ~unsigned{CSIGNAL};
        all.exit_signal = bits & CSIGNAL;
        all.pidfd = reinterpret_cast<std::uintptr_t>(parent_id);
        all.parent_tid = all.pidfd;
        all.child_tid = reinterpret_cast<std::uintptr_t>(child_id);
        all.tls = reinterpret_cast<std::uintptr_t>(storage);
        const long child = syscall(SYS_clone3, &all, sizeof all);
        if (child == 0)
            syscall(SYS_exit, function(argument));
        if (child > 0 || errno != ENOSYS)
            return static_cast<int>(child);
    }
    struct Body {
        int (*function)(void*);
        void* argument;
    } body{function, argument};
    const auto run = [](void* data) {
        heap::in_child();
        const Body in_child = *static_cast<Body*>(data);
        return in_child.function(in_child.argument);
    };
    heap::before_child(heap::Child::copies);
    const int child = next(run, stack, flags, &body, parent_id, storage, child_id);
    heap::in_parent();
    return child;
}

TUTTI_EXPORT long syscall(long number, ...) noexcept
{
    long a[6];
    std::va_list list;
    va_start(list, number);
    for (long& argument : a)
        argument = va_arg(list, long);
    va_end(list);
    const auto call = [&] { return next_syscall.find()(number, a[0], a[1], a[2], a[3], a[4], a[5]); };
    return heap::is_serving() && makes_child(number, a) ? with_heap(heap::Child::copies, call) : call();
}

// Programs expect zeros, as in ordinary memory.
TUTTI_EXPORT int madvise(void* from, std::size_t bytes, int advice) noexcept
{
    const bool clears = advice == MADV_DONTNEED || advice == MADV_FREE;
    if (clears && heap::owns(from) && bytes <= heap::kMostBytes &&
        heap::owns(static_cast<std::byte*>(from) + bytes)) {
        if (heap::is_lent())
            return heap::clear_lent_pages(from, bytes);
        advice = heap::is_serving() ? MADV_REMOVE : MADV_DONTNEED;
    }
    return next_madvise.find()(from, bytes, advice);
}
