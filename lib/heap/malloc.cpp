// malloc and its like for the whole process. Each request that the heap does not serve goes to the next
// library that has these functions, mostly the C library.
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "lib/heap/heap.hpp"
#include "lib/heap/process_fork.hpp"
#include "lib/heap/program_libraries.hpp"

namespace {

using namespace tutti;

struct Next {
    void* (*malloc)(std::size_t);
    void (*free)(void*);
    void* (*calloc)(std::size_t, std::size_t);
    void* (*realloc)(void*, std::size_t);
    void* (*memalign)(std::size_t, std::size_t);
    void* (*aligned_alloc)(std::size_t, std::size_t);
    int (*posix_memalign)(void**, std::size_t, std::size_t);
    std::size_t (*malloc_usable_size)(void*);
};

void find_next() noexcept;
extern constinit Next next;

// The functions in `next` until the first call of any. The loader calls before any constructor has run.
template <auto Member>
struct First;
template <class Result, class... Arguments, Result (*Next::*Member)(Arguments...)>
struct First<Member> {
    static Result call(Arguments... arguments)
    {
        find_next();
        return (next.*Member)(arguments...);
    }
};

constinit Next next{First<&Next::malloc>::call,         First<&Next::free>::call,
                    First<&Next::calloc>::call,         First<&Next::realloc>::call,
                    First<&Next::memalign>::call,       First<&Next::aligned_alloc>::call,
                    First<&Next::posix_memalign>::call, First<&Next::malloc_usable_size>::call};

template <class Function>
void find(Function*& function, const char* name) noexcept
{
    function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
    if (function == nullptr)
        std::abort();  // neither the C library nor a library before it has it
}

void find_next() noexcept
{
    Next found{};
    find(found.malloc, "malloc");
    find(found.free, "free");
    find(found.calloc, "calloc");
    find(found.realloc, "realloc");
    find(found.memalign, "memalign");
    find(found.aligned_alloc, "aligned_alloc");
    find(found.posix_memalign, "posix_memalign");
    find(found.malloc_usable_size, "malloc_usable_size");
    next = found;
}

const void* library_of(const void* address) noexcept
{
    Dl_info info{};
    return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

// Whether the malloc that the program calls is this library's. A program at fixed addresses has an entry of
// its own for each function whose address it takes: that lies in the program, and leads to the first library
// that has the function.
bool leads_here() noexcept
{
    using Malloc = void*(std::size_t);
    using Free = void(void*);
    auto* const called = reinterpret_cast<Malloc*>(dlsym(RTLD_DEFAULT, "malloc"));
    if (library_of(reinterpret_cast<const void*>(called)) == library_of(&next))
        return true;
    static Malloc* behind = nullptr;
    static std::atomic<bool> has_come{false};
    behind = next.malloc;
    next.malloc = [](std::size_t bytes) {
        has_come.store(true, std::memory_order_relaxed);
        return behind(bytes);
    };
    void* const block = called(1);
    next.malloc = behind;
    reinterpret_cast<Free*>(dlsym(RTLD_DEFAULT, "free"))(block);
    return has_come.load(std::memory_order_relaxed);
}

// Whether another allocator or a sanitizer comes before or behind this library, or Valgrind, which replaces
// the C library's.
bool is_foreign() noexcept
{
    find_next();
    const char* const preloaded = std::getenv("LD_PRELOAD");
    return library_of(reinterpret_cast<const void*>(next.malloc)) !=
               library_of(reinterpret_cast<const void*>(gnu_get_libc_version)) ||
           !leads_here() || (preloaded != nullptr && std::strstr(preloaded, "vgpreload") != nullptr);
}

// `caller` asks for the heap. By default the heap is on only for programs that are linked with the caller:
// one that loads it later, as interpreters do, knows nothing of it before, and may fork often.
bool is_unwanted(const void* caller) noexcept
{
    const char* const variable = std::getenv("TUTTI_HEAP");
    const std::string_view value = variable != nullptr ? variable : "";
    return value == "off" || (value != "on" && !heap::is_linked_with_program(caller));
}

bool is_servable_alignment(std::size_t alignment) noexcept
{
    return std::has_single_bit(alignment) && alignment <= heap::kMostAlignment;
}

// tutti_heap_watch_frees(): nullptr until then.
constinit std::atomic<bool (*)(const void*, std::size_t) noexcept> keeps{nullptr};
constinit Next unwatched{};

bool is_kept(void* data) noexcept
{
    auto* const asked = keeps.load(std::memory_order_acquire);
    return asked != nullptr && data != nullptr && asked(data, malloc_usable_size(data));
}

void free_unless_kept(void* data) noexcept
{
    if (!is_kept(data))
        unwatched.free(data);
}

// A block that is kept is copied.
void* reallocate_unless_kept(void* data, std::size_t bytes) noexcept
{
    if (!is_kept(data))
        return unwatched.realloc(data, bytes);
    if (bytes == 0)
        return nullptr;
    void* const copy = unwatched.malloc(bytes);
    if (copy != nullptr)
        std::memcpy(copy, data, std::min(bytes, unwatched.malloc_usable_size(data)));
    return copy;
}

[[gnu::constructor(101)]] void begin() noexcept
{
    heap::watch_forks();
}

}  // namespace

#define TUTTI_EXPORT extern "C" [[gnu::visibility("default")]]

TUTTI_EXPORT const TuttiHeapSegment* tutti_heap_open() noexcept
{
    static const bool is_off = is_unwanted(__builtin_return_address(0)) || is_foreign();
    return is_off ? nullptr : heap::open();
}

TUTTI_EXPORT void tutti_heap_ask_for_room(std::uint64_t (*room)() noexcept) noexcept
{
    heap::ask_for_room(room);
}

// Calls of the C library's functions go through `next` anyway, so the program pays nothing for this before.
TUTTI_EXPORT void tutti_heap_watch_frees(bool (*asked)(const void* data, std::size_t bytes) noexcept) noexcept
{
    find_next();
    unwatched = next;
    next.free = free_unless_kept;
    next.realloc = reallocate_unless_kept;
    keeps.store(asked, std::memory_order_release);
}

// The address sanitizer calls this: otherwise it ends programs whose first library it is not. Its malloc is
// the next.
TUTTI_EXPORT const char* __asan_default_options() noexcept
{
    return "verify_asan_link_order=0";
}

TUTTI_EXPORT void* malloc(std::size_t bytes) noexcept
{
    if (heap::serves(bytes))
        if (void* const data = heap::allocate(bytes))
            return data;
    return next.malloc(bytes);
}

TUTTI_EXPORT void free(void* data) noexcept
{
    if (!heap::owns(data))
        next.free(data);
    else if (!is_kept(data))
        heap::release(data);
}

TUTTI_EXPORT void* calloc(std::size_t count, std::size_t size) noexcept
{
    std::size_t bytes = 0;
    if (!__builtin_mul_overflow(count, size, &bytes) && heap::serves(bytes))
        if (void* const data = heap::allocate_zeroed(bytes))
            return data;
    return next.calloc(count, size);
}

TUTTI_EXPORT void* realloc(void* data, std::size_t bytes) noexcept
{
    if (data == nullptr)
        return malloc(bytes);
    const bool was_here = heap::owns(data);
    // A block that outgrows the C library's sizes moves here once; one that was large before the heap began
    // stays there.
    const bool stays =
        !was_here && !(heap::serves(bytes) && next.malloc_usable_size(data) < heap::kLeastBytes);
    if (stays)
        return next.realloc(data, bytes);
    if (bytes == 0) {
        free(data);
        return nullptr;
    }
    if (was_here && heap::resize(data, bytes))
        return data;
    void* const moved = malloc(bytes);
    if (moved == nullptr)
        return nullptr;
    std::memcpy(moved, data, std::min(bytes, malloc_usable_size(data)));
    free(data);
    return moved;
}

TUTTI_EXPORT void* memalign(std::size_t alignment, std::size_t bytes) noexcept
{
    if (heap::serves(bytes) && is_servable_alignment(alignment))
        if (void* const data = heap::allocate_aligned(bytes, alignment))
            return data;
    return next.memalign(alignment, bytes);
}

TUTTI_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept
{
    if (heap::serves(bytes) && is_servable_alignment(alignment))
        if (void* const data = heap::allocate_aligned(bytes, alignment))
            return data;
    return next.aligned_alloc(alignment, bytes);
}

TUTTI_EXPORT int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) noexcept
{
    if (heap::serves(bytes) && is_servable_alignment(alignment) && alignment >= sizeof(void*))
        if (void* const data = heap::allocate_aligned(bytes, alignment)) {
            *result = data;
            return 0;
        }
    return next.posix_memalign(result, alignment, bytes);
}

TUTTI_EXPORT std::size_t malloc_usable_size(void* data) noexcept
{
    return heap::owns(data) ? heap::usable_bytes(data) : next.malloc_usable_size(data);
}
