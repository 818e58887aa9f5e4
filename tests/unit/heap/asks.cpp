// Opens the heap when it is loaded, as Tutti's library does.
#include "lib/heap/segment.hpp"

namespace {

bool is_open = false;

[[gnu::constructor]] void open()
{
    is_open = tutti_heap_open != nullptr && tutti_heap_open() != nullptr;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] bool heap_is_open()
{
    return is_open;
}
