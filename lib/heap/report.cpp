#include "lib/heap/report.hpp"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace tutti::heap {

namespace {

// A line of standard error, made without memory of the heap, which may be in disorder.
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
    Line& operator<<(std::uint64_t number) noexcept
    {
        char digits[24] = {};
        char* first = digits + sizeof digits - 1;
        do
            *--first = static_cast<char>('0' + number % 10);
        while ((number /= 10) != 0);
        return *this << static_cast<const char*>(first);
    }
    void say() noexcept
    {
        *this << "\n";
        [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text_, length_);
    }

private:
    char text_[512];
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
    line.say();
    std::abort();
}

void stop_for_damage(const void* data) noexcept
{
    Line line;
    line << "tutti: malloc(): damaged memory: something was written before or behind the block at " << data
         << ", or into it after free()";
    line.say();
    std::abort();
}

void say_lent(std::uint64_t wanted, std::uint64_t left) noexcept
{
    Line line;
    line << "tutti: fork(): process " << static_cast<std::uint64_t>(getpid())
         << " has no memory for a copy of the " << (wanted >> 20)
         << " MiB of malloc's heap that its child would have had (" << (left >> 20)
         << " MiB are left): a child that goes on without starting a program may see what its parent writes. "
            "Use less "
            "memory, or tuttirun --heap off";
    line.say();
}

}  // namespace tutti::heap
