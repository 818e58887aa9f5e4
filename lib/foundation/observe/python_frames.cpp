#include "lib/foundation/observe/python_frames.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::observe {

using Address = std::uint64_t;

struct PythonLayout {
    unsigned version;  // major, minor
    Address first_interpreter;
    Address next_interpreter;
    Address first_thread;
    Address thread_id;
    Address current_frame;  // of the thread, or of its cframe
    bool has_cframe;
    Address frame_code;
    Address frame_previous;
    Address frame_owner;
    Address code_first_line;
    Address code_bytes;
    Address
        text_bytes;  // the head of a text that is not of ASCII alone; that of ASCII has 16 bytes less, or 24
    Address ascii_bytes;
};
namespace {

constexpr std::array<PythonLayout, 3> kLayouts{{
    {0x030b, 40, 0, 16, 160, 8, true, 32, 48, 69, 72, 184, 72, 48},
    {0x030c, 40, 0, 72, 144, 0, true, 0, 8, 70, 68, 192, 56, 40},
    {0x030d, 632, 7264, 7344, 160, 72, false, 0, 8, 70, 68, 200, 56, 40},
}};
// Places that all these versions share.
constexpr Address kNextThread = 8;
constexpr Address kCframe = 56;
constexpr Address kFrameInstruction = 56;
constexpr Address kCodeFile = 112;
constexpr Address kCodeName = 128;
constexpr Address kCodeLines = 136;
constexpr Address kType = 8;
constexpr Address kTypeName = 24;
constexpr Address kSize = 16;
constexpr Address kTextState = 32;
constexpr Address kBytes = 32;
constexpr char kOwnedByCStack = 3;

// Damaged memory may have circles in it, and any number for a length.
constexpr int kMostInterpreters = 16;
constexpr std::size_t kMostPythonThreads = 256;
constexpr std::size_t kMostTextBytes = 4096;
constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;

/// Where Python's own library is, and what is installed for it; and what is built into it.
constexpr std::array<std::string_view, 4> kPackages = {"/site-packages/", "/dist-packages/", "/lib/python3",
                                                       "<frozen "};

void append_utf8(std::string& text, std::uint32_t letter)
{
    const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (letter >> shift & 0x3f)); };
    if (letter < 0x80) {
        text += static_cast<char>(letter);
    } else if (letter < 0x800) {
        text += static_cast<char>(0xc0 | letter >> 6);
        tail(0);
    } else if (letter < 0x10000) {
        text += static_cast<char>(0xe0 | letter >> 12);
        tail(6);
        tail(0);
    } else {
        text += static_cast<char>(0xf0 | (letter >> 18 & 7));
        tail(12);
        tail(6);
        tail(0);
    }
}

/// Reads a table of lines (InternalDocs/code_objects.md, "Locations").
class Lines {
public:
    Lines(std::string_view table, int first) : rest_(table), line_(first) {}

    std::optional<int> at(Address unit)
    {
        constexpr int kNone = 15;
        constexpr int kLong = 14;
        constexpr int kWithoutColumns = 13;
        constexpr int kOneLine = 10;
        for (Address begin = 0; !rest_.empty();) {
            const unsigned head = byte();
            const int code = static_cast<int>(head >> 3 & 15);
            const Address end = begin + (head & 7) + 1;
            if (code == kLong || code == kWithoutColumns)
                line_ += difference();
            else if (code >= kOneLine && code < kWithoutColumns)
                line_ += code - kOneLine;
            while (!rest_.empty() && (static_cast<unsigned char>(rest_.front()) & 0x80) == 0)
                rest_.remove_prefix(1);  // columns
            if (unit < end)
                return code == kNone ? std::nullopt : std::optional(line_);
            begin = end;
        }
        return std::nullopt;
    }

private:
    unsigned byte()
    {
        if (rest_.empty())
            return 0;
        const auto result = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        return result;
    }
    int difference()
    {
        unsigned number = 0;
        unsigned part = 0x40;
        for (int shift = 0; (part & 0x40) != 0 && shift < 30; shift += 6) {
            part = byte();
            number |= (part & 0x3f) << shift;
        }
        return (number & 1) != 0 ? -static_cast<int>(number >> 1) : static_cast<int>(number >> 1);
    }

    std::string_view rest_;
    int line_;
};

}  // namespace

bool is_of_python_package(std::string_view file) noexcept
{
    return std::ranges::any_of(
        kPackages, [file](std::string_view part) { return file.find(part) != std::string_view::npos; });
}

std::optional<PythonFrames> PythonFrames::of(pid_t process, std::uint64_t version)
{
    const PythonFrames any(process, kLayouts.front());
    const auto layout =
        std::ranges::find(kLayouts, any.value<unsigned long>(version) >> 16, &PythonLayout::version);
    return layout == kLayouts.end() ? std::nullopt : std::optional(PythonFrames(process, *layout));
}

bool PythonFrames::read(Address from, void* to, std::size_t bytes) const
{
    const iovec local{to, bytes};
    const iovec remote{reinterpret_cast<void*>(from), bytes};  // NOLINT: maybe of another process
    return ::process_vm_readv(process_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

bool PythonFrames::is_code(Address object) const
{
    return object != 0 &&
           value<std::array<char, 5>>(pointer(pointer(object + kType) + kTypeName)) == std::to_array("code");
}

/// The text of an object; empty if it is none.
std::string PythonFrames::text(Address object) const
{
    const auto state = value<std::uint32_t>(object + kTextState);
    const std::size_t width = state >> 2 & 7;  // of a letter
    const bool is_compact = (state >> 5 & 1) != 0;
    const bool is_ascii = (state >> 6 & 1) != 0;
    const auto letters = value<std::uint64_t>(object + kSize);
    if (!is_compact || (width != 1 && width != 2 && width != 4) || letters > kMostTextBytes / width)
        return {};
    std::string bytes(letters * width, '\0');
    if (!read(object + (is_ascii ? layout_->ascii_bytes : layout_->text_bytes), bytes.data(), bytes.size()))
        return {};
    std::string result;
    for (std::size_t at = 0; at < bytes.size(); at += width) {
        std::uint32_t letter = 0;
        for (std::size_t i = 0; i < width; ++i)
            letter |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << 8 * i;
        append_utf8(result, letter < 0x20 ? '?' : letter);
    }
    return result;
}

std::optional<int> PythonFrames::line(Address code, Address instruction) const
{
    const int first = value<std::int32_t>(code + layout_->code_first_line);
    const Address table = pointer(code + kCodeLines);
    const auto bytes = value<std::uint64_t>(table + kSize);
    if (first < 0 || bytes > kMostLineBytes)
        return std::nullopt;
    std::string lines(bytes, '\0');
    const Address begin = code + layout_->code_bytes;
    if (instruction < begin || !read(table + kBytes, lines.data(), lines.size()))
        return first;  // it has not begun
    return Lines(lines, first).at((instruction - begin) / 2).value_or(first);
}

std::vector<std::pair<pid_t, Address>> PythonFrames::threads_of(Address runtime) const
{
    std::vector<std::pair<pid_t, Address>> threads;
    Address interpreter = pointer(runtime + layout_->first_interpreter);
    for (int i = 0; interpreter != 0 && i < kMostInterpreters; ++i) {
        for (Address thread = pointer(interpreter + layout_->first_thread);
             thread != 0 && threads.size() < kMostPythonThreads; thread = pointer(thread + kNextThread))
            threads.emplace_back(static_cast<pid_t>(value<unsigned long>(thread + layout_->thread_id)),
                                 thread);
        interpreter = pointer(interpreter + layout_->next_interpreter);
    }
    return threads;
}

PythonCall PythonFrames::call_at(const Site& site) const
{
    if (!is_code(site.code))
        return {};
    return {text(pointer(site.code + kCodeFile)), text(pointer(site.code + kCodeName)),
            line(site.code, site.instruction).value_or(0)};
}

std::vector<PythonCall> PythonFrames::calls_of(Address thread, std::size_t most) const
{
    std::vector<PythonCall> calls;
    Address frame =
        pointer((layout_->has_cframe ? pointer(thread + kCframe) : thread) + layout_->current_frame);
    for (std::size_t depth = 0; frame != 0 && depth < 2 * most && calls.size() < most; ++depth) {
        if (value<char>(frame + layout_->frame_owner) != kOwnedByCStack) {
            const Address code = pointer(frame + layout_->frame_code);
            PythonCall call = call_at({code, 0, pointer(frame + kFrameInstruction)});
            if (call.file.empty() || call.function.empty() || call.line <= 0)
                break;
            calls.push_back(std::move(call));
        }
        frame = pointer(frame + layout_->frame_previous);
    }
    return calls;
}

std::size_t PythonFrames::own_sites(Address state, Site* sites, std::size_t most) const noexcept
{
    const auto at = [](Address from) {
        Address result = 0;
        std::memcpy(&result, reinterpret_cast<const void*>(from),
                    sizeof result);  // NOLINT: the interpreter's
        return result;
    };
    const Address holder = layout_->has_cframe ? at(state + kCframe) : state;
    Address frame = holder == 0 ? 0 : at(holder + layout_->current_frame);
    std::size_t count = 0;
    for (std::size_t depth = 0; frame != 0 && depth < 2 * most && count < most; ++depth) {
        char owner = 0;
        std::memcpy(&owner, reinterpret_cast<const void*>(frame + layout_->frame_owner), 1);  // NOLINT
        if (owner != kOwnedByCStack) {
            const Address code = at(frame + layout_->frame_code);
            if (code == 0)
                break;
            std::uint32_t first_line = 0;
            std::memcpy(&first_line,
                        reinterpret_cast<const void*>(code + layout_->code_first_line),  // NOLINT
                        sizeof first_line);
            sites[count++] = {code, at(code + kCodeLines) ^ Address{first_line} << 40,
                              at(frame + kFrameInstruction)};
        }
        frame = at(frame + layout_->frame_previous);
    }
    return count;
}

}  // namespace tutti::observe
