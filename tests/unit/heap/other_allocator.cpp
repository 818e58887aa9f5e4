// Stands for an allocator that a program is linked with, as tcmalloc or jemalloc.
#include <cstddef>

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t bytes)
{
    return __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes)
{
    return __libc_calloc(count, bytes);
}

void* realloc(void* data, std::size_t bytes)
{
    return __libc_realloc(data, bytes);
}

void free(void* data)
{
    __libc_free(data);
}
}
