#include "lib/heap/program_libraries.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tutti::heap {

namespace {

// With more, a library that is linked late may be missed: then the heap is off.
constexpr std::size_t kMostLibraries = 1024;

// The loader has made an address of it, but not in libraries whose table cannot be written to.
const char* strings_of(const link_map& library) noexcept
{
    for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == DT_STRTAB)
            return reinterpret_cast<const char*>(
                entry->d_un.d_ptr < library.l_addr ? entry->d_un.d_ptr + library.l_addr : entry->d_un.d_ptr);
    return nullptr;
}

const char* last_part(const char* path) noexcept
{
    const char* const slash = std::strrchr(path, '/');
    return slash != nullptr ? slash + 1 : path;
}

bool has_name(const link_map& library, const char* name) noexcept
{
    if (std::strcmp(last_part(library.l_name), name) == 0)
        return true;
    const char* const strings = strings_of(library);
    for (const ElfW(Dyn)* entry = library.l_ld; strings != nullptr && entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == DT_SONAME)
            return std::strcmp(strings + entry->d_un.d_val, name) == 0;
    return false;
}

}  // namespace

bool is_linked_with_program(const void* address) noexcept
{
    Dl_info info{};
    void* found = nullptr;
    if (dladdr1(address, &info, &found, RTLD_DL_LINKMAP) == 0 || found == nullptr)
        return false;
    const auto* const wanted = static_cast<const link_map*>(found);
    const link_map* program = wanted;
    while (program->l_prev != nullptr)
        program = program->l_prev;
    if (program->l_name[0] != '\0')
        return false;  // in a namespace of its own (dlmopen)

    const link_map* reached[kMostLibraries] = {program};
    std::size_t count = 1;
    for (std::size_t i = 0; i < count; ++i) {
        if (reached[i] == wanted)
            return true;
        const char* const strings = strings_of(*reached[i]);
        for (const ElfW(Dyn)* entry = reached[i]->l_ld; strings != nullptr && entry->d_tag != DT_NULL;
             ++entry) {
            if (entry->d_tag != DT_NEEDED)
                continue;
            const char* const name = last_part(strings + entry->d_un.d_val);
            const link_map* library = program->l_next;
            while (library != nullptr && !has_name(*library, name))
                library = library->l_next;
            if (library != nullptr && count < kMostLibraries &&
                std::find(reached, reached + count, library) == reached + count)
                reached[count++] = library;
        }
    }
    return false;
}

}  // namespace tutti::heap
