#include "lib/heap/misuse.hpp"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace tutti::heap {

namespace {

// A line of standard error. The heap may be in disorder: no memory is taken.
class Line {
public:
    Line& operator<<(const char* words) noexcept
    {
        const std::size_t bytes = strnlen(words, sizeof text_ - length_);
        std::memcpy(text_ + length_, words, bytes);
        length_ += bytes;
        return *this;
    }
    Line& operator<<(const void* address) noexcept
    {
        char digits[2 * sizeof address + 1] = {};
        char* first = digits + sizeof digits - 1;
        auto value = reinterpret_cast<std::uintptr_t>(address);
        do
            *--first = "0123456789abcdef"[value % 16];
        while ((value /= 16) != 0);
        return *this << "0x" << static_cast<const char*>(first);
    }
    [[noreturn]] void say_and_abort() noexcept
    {
        *this << "\n";
        [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text_, length_);
        std::abort();
    }

private:
    char text_[256];
    std::size_t length_ = 0;
};

}  // namespace

void stop_for_pointer(const char* call, const void* data, bool was_freed) noexcept
{
    Line line;
    line << "tutti: " << call << "(): ";
    if (was_freed)
        line << "double free detected: the block at " << data << " is free already";
    else
        line << "invalid pointer " << data
             << ": no block begins there, or what lies before the block was overwritten";
    line.say_and_abort();
}

void stop_for_damage(const void* data) noexcept
{
    Line line;
    line << "tutti: malloc(): damaged memory: something was written before or behind the block at " << data
         << ", or into it after free()";
    line.say_and_abort();
}

}  // namespace tutti::heap
