// Which line of the program calls: for profiles, so in a few nanoseconds.
//
// Frames of the library have a fixed size at each call, which the first call from a place learns by unwinding
// the stack. Later ones step from return address to return address by what is known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "lib/foundation/observe/profile_page.hpp"
#include "lib/foundation/observe/python_frames.hpp"

namespace tutti::profile {

/// Under the engine's lock.
class CallerFinder {
public:
    explicit CallerFinder(observe::ProfileHeader& page) : page_(page) { look_for_python(); }
    CallerFinder(const CallerFinder&) = delete;
    CallerFinder& operator=(const CallerFinder&) = delete;

    /// The number, plus 1, in the page's table of the line whose call of Tutti this thread is in; 0: unknown.
    /// `return_address` and `frame_end` are those of a function of the library: where its frame ends and its
    /// return address lies in front (__builtin_dwarf_cfa()).
    std::uint64_t find(std::uintptr_t return_address, std::uintptr_t frame_end) noexcept
    {
        if (python_) [[unlikely]]
            if (const std::uint64_t line = find_in_python(); line != 0)
                return line;
        return find_in_program(return_address, frame_end);
    }

private:
    static constexpr std::size_t kPlaces = 8192;  // a power of two
    static constexpr std::uint32_t kStepOn = 0xffffffff;

    /// A return address.
    struct Place {
        std::uintptr_t address = 0;
        std::uint32_t frame_bytes = 0;
        std::uint32_t caller = 0;  // or kStepOn: one of the library
    };
    static std::size_t index_of(std::uintptr_t address) noexcept
    {
        return (address * 0x9e3779b97f4a7c15) >> 51 & (kPlaces - 1);
    }
    std::uint64_t find_in_program(std::uintptr_t return_address, std::uintptr_t frame_end) noexcept;
    Place* place_of(std::uintptr_t address) noexcept;
    std::uint64_t learn() noexcept;
    std::uint32_t caller_at(std::uintptr_t address) noexcept;
    std::uint32_t number_of(const char* object, std::uintptr_t offset) noexcept;

    // The innermost line of the user's program in Python that this thread is in; 0: it is in none.
    std::uint64_t find_in_python() noexcept;
    void look_for_python();
    std::uint32_t learn_in_python(const observe::PythonFrames::Site& site);

    observe::ProfileHeader& page_;
    std::array<Place, kPlaces> places_{};
    std::size_t used_ = 0;

    using StateOfThread = void* (*)();
    static constexpr std::uint32_t kOfPackage = 0xffffffff;
    struct PythonPlace {
        std::uint64_t lines = 0;
        std::uint32_t caller = 0;  // or kOfPackage
    };
    std::optional<observe::PythonFrames> python_;
    StateOfThread state_of_thread_ = nullptr;
    bool is_python_checked_ = false;
    std::unordered_map<std::uint64_t, PythonPlace> python_places_;  // by instruction
};

}  // namespace tutti::profile
