#include "lib/core/profile/caller_finder.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>
#include <unwind.h>

#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "lib/core/profile/symbol_table.hpp"
#include "lib/foundation/observe/own_library.hpp"

namespace tutti::profile {

namespace {

constexpr std::size_t kMostFrames = 48;

struct Frame {
    std::uintptr_t address;        // at which a function goes on
    std::uintptr_t stack_pointer;  // that it has then: where the frame of the function that it called ends
};

struct Frames {
    std::array<Frame, kMostFrames> list;
    std::size_t count = 0;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* to)
{
    auto& frames = *static_cast<Frames*>(to);
    if (frames.count == kMostFrames)
        return _URC_END_OF_STACK;
    frames.list[frames.count++] = {_Unwind_GetIP(context), _Unwind_GetCFA(context)};
    return _URC_NO_REASON;
}

// Whether the code there is Tutti's: of its libraries, or of its headers in the program.
bool is_own(const Dl_info& object, std::uintptr_t offset) noexcept
{
    return observe::is_own_library(object.dli_fname) ||
           name_at(object.dli_fname, offset).starts_with("_ZN5tutti") ||
           name_at(object.dli_fname, offset).starts_with("_ZNK5tutti");
}

// The address within the object's file.
std::uintptr_t offset_in(const Dl_info& object, std::uintptr_t address) noexcept
{
    const auto* const header = static_cast<const ElfW(Ehdr)*>(object.dli_fbase);
    return header->e_type == ET_EXEC ? address : address - reinterpret_cast<std::uintptr_t>(object.dli_fbase);
}

// Frames of Python that are looked at: those of packages lie within the user's.
constexpr std::size_t kMostPythonFrames = 24;
constexpr std::size_t kMostPythonPlaces = std::size_t{1} << 16;

}  // namespace

// The interpreter that runs this process, if its layout is known. One without its lock has another.
void CallerFinder::look_for_python()
{
    using Version = const char* (*)();
    void* const version = dlsym(RTLD_DEFAULT, "Py_Version");
    const auto in_words = reinterpret_cast<Version>(dlsym(RTLD_DEFAULT, "Py_GetVersion"));
    state_of_thread_ = reinterpret_cast<StateOfThread>(dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"));
    if (version == nullptr || in_words == nullptr || state_of_thread_ == nullptr ||
        std::string_view(in_words()).find("free-threading") != std::string_view::npos)
        return;
    python_ = observe::PythonFrames::of(getpid(), reinterpret_cast<std::uintptr_t>(version));
}

// A thread's state is found without Python's lock, and its frames do not change while it is in this call.
std::uint64_t CallerFinder::find_in_python() noexcept
try {
    const auto state = reinterpret_cast<std::uintptr_t>(state_of_thread_());
    if (state == 0)
        return 0;
    if (!is_python_checked_ && python_->calls_of(state, 1).empty()) {
        python_.reset();
        return 0;
    }
    is_python_checked_ = true;
    if (python_places_.size() > kMostPythonPlaces)
        python_places_.clear();  // a program that makes code again and again
    std::array<observe::PythonFrames::Site, kMostPythonFrames> sites;
    const std::size_t count = python_->own_sites(state, sites.data(), sites.size());
    for (std::size_t i = 0; i < count; ++i) {
        PythonPlace& place = python_places_[sites[i].instruction];
        if (place.lines != sites[i].lines)
            place = {sites[i].lines, learn_in_python(sites[i])};
        if (place.caller != kOfPackage)
            return place.caller;
    }
    return 0;
} catch (...) {
    return 0;  // no memory
}

std::uint32_t CallerFinder::learn_in_python(const observe::PythonFrames::Site& site)
{
    const observe::PythonCall call = python_->call_at(site);
    if (call.line <= 0 || observe::is_of_python_package(call.file))
        return kOfPackage;
    const std::string object = observe::ProfileCaller::kPython + call.function + ':' + call.file;
    return number_of(object.c_str(), static_cast<std::uintptr_t>(call.line));
}

std::uint64_t CallerFinder::find_in_program([[maybe_unused]] std::uintptr_t return_address,
                                            [[maybe_unused]] std::uintptr_t frame_end) noexcept
{
#if defined(__x86_64__)
    // A frame that has lost its fixed size ends in an address that is not known, or a known one farther out.
    for (std::size_t depth = 0; depth < kMostFrames; ++depth) {
        const Place* const place = place_of(return_address);
        if (place == nullptr)
            return 0;
        if (place->address == 0)
            return learn();
        if (place->caller != kStepOn)
            return place->caller;
        frame_end += place->frame_bytes;
        std::memcpy(&return_address, reinterpret_cast<const void*>(frame_end - sizeof return_address),
                    sizeof return_address);
    }
#endif
    return 0;
}

// Its entry, or a free one; nullptr if there is no more place.
CallerFinder::Place* CallerFinder::place_of(std::uintptr_t address) noexcept
{
    for (std::size_t index = index_of(address);; index = (index + 1) % kPlaces) {
        Place& place = places_[index];
        if (place.address == address)
            return &place;
        if (place.address == 0)
            return used_ < kPlaces / 2 ? &place : nullptr;
    }
}

// Unwinds the stack, and notes each return address from there to the program.
std::uint64_t CallerFinder::learn() noexcept
{
    Frames frames;
    _Unwind_Backtrace(add_frame, &frames);
    for (std::size_t i = 1; i + 1 < frames.count; ++i) {
        const Frame& frame = frames.list[i];
        const std::uintptr_t bytes = frames.list[i + 1].stack_pointer - frame.stack_pointer;
        Place* const place = place_of(frame.address);
        if (place == nullptr)
            return 0;
        if (place->address == 0) {
            ++used_;
            *place = {frame.address, static_cast<std::uint32_t>(bytes), caller_at(frame.address)};
        } else if (place->caller == kStepOn && place->frame_bytes != bytes) {
            place->caller = 0;  // never step from here again
        }
        if (place->caller != kStepOn)
            return place->caller;
    }
    return 0;
}

// kStepOn for an address of Tutti's own.
std::uint32_t CallerFinder::caller_at(std::uintptr_t address) noexcept
{
    Dl_info object{};
    --address;  // the call is in front of the address to which it returns
    if (dladdr(reinterpret_cast<void*>(address), &object) == 0 || object.dli_fname == nullptr)
        return 0;
    const std::uintptr_t offset = offset_in(object, address);
    return is_own(object, offset) ? kStepOn : number_of(object.dli_fname, offset);
}

// 0: the page has no place for it.
std::uint32_t CallerFinder::number_of(const char* object, std::uintptr_t offset) noexcept
{
    using Header = observe::ProfileHeader;
    std::optional<std::uint64_t> file;
    const std::uint64_t objects = page_.objects_used.load(std::memory_order_relaxed);
    observe::StatusText<Header::kPathBytes> path;
    observe::store_text(path.data(), Header::kPathBytes, object);
    for (std::uint64_t i = 0; i < objects && !file; ++i)
        if (std::memcmp(&page_.objects[i], &path, sizeof path) == 0)
            file = i;
    if (!file && objects < Header::kObjects) {
        file = objects;
        observe::store_text(page_.objects[objects].data(), Header::kPathBytes, object);
        page_.objects_used.store(objects + 1, std::memory_order_relaxed);
    }
    const std::uint64_t number = page_.callers_used.load(std::memory_order_relaxed);
    if (!file || number == Header::kCallers)
        return 0;
    page_.callers[number].offset.store(offset, std::memory_order_relaxed);
    page_.callers[number].object.store(*file + 1, std::memory_order_relaxed);
    page_.callers_used.store(number + 1, std::memory_order_relaxed);
    return static_cast<std::uint32_t>(number + 1);
}

}  // namespace tutti::profile
