// Stands for a library between the program and the one that opens the heap.
extern "C" bool heap_is_open();

extern "C" [[gnu::visibility("default")]] bool heap_is_open_through()
{
    return heap_is_open();
}
