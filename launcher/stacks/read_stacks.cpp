#include "launcher/stacks/read_stacks.hpp"

#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "launcher/stacks/stopped_threads.hpp"
#include "launcher/stacks/symbols.hpp"
#include "lib/foundation/base/proc.hpp"
#include "lib/foundation/observe/python_frames.hpp"

namespace tutti::launcher {

namespace {

using Clock = StoppedThreads::Clock;

/// What of the time is left for unwinding when threads do not stop.
constexpr std::chrono::milliseconds kForUnwinding{500};

/// The addresses of one thread's calls.
struct RawStack {
    std::vector<Dwarf_Addr> addresses;
    std::size_t most = 0;
    bool behind_handler = false;
    Clock::time_point deadline;
    int activations = 0;
};

int add_address(Dwfl_Frame* frame, void* argument)
{
    auto& stack = *static_cast<RawStack*>(argument);
    Dwarf_Addr address = 0;
    bool is_activation = false;
    if (!dwfl_frame_pc(frame, &address, &is_activation) || stack.addresses.size() >= stack.most ||
        Clock::now() > stack.deadline)
        return DWARF_CB_ABORT;
    // These are at an instruction and not behind a call: where the thread is, the frame by which the kernel
    // returns from the handler, and what the signal interrupted.
    stack.activations += is_activation ? 1 : 0;
    if (is_activation && stack.activations == 3 && stack.behind_handler)
        stack.addresses.clear();
    // A return address may belong to the next line, or to the next function.
    stack.addresses.push_back(is_activation ? address : address - 1);
    return DWARF_CB_OK;
}

/// Where a module's separate debug information is. That of the C library is left out: to decompress it takes
/// a fifth of a second, and no line of it helps a user.
int find_debuginfo(Dwfl_Module* module, void** userdata, const char* name, Dwarf_Addr base, const char* file,
                   const char* link, GElf_Word crc, char** found)
{
    if (std::filesystem::path(name).filename().native().starts_with("libc.so"))
        return -1;
    return dwfl_standard_find_debuginfo(module, userdata, name, base, file, link, crc, found);
}

std::string name_of_thread(pid_t process, pid_t thread)
{
    std::ifstream file(fmt::format("/proc/{}/task/{}/comm", process, thread));
    std::string name;
    std::getline(file, name);
    return name;
}

/// Where a process has its Python: the program that it runs, or a library. The addresses in the process are
/// those of what CPython 3.11 and later export.
struct Python {
    std::string object;
    std::uint64_t runtime = 0;  // _PyRuntime
    std::uint64_t version = 0;  // Py_Version
};

int find_python(Dwfl_Module* module, void**, const char* name, Dwarf_Addr, void* argument)
{
    auto& python = *static_cast<Python*>(argument);
    const std::string path = name;
    const std::string file = path.substr(path.rfind('/') + 1);
    // One without its lock (python3.13t) has other layouts.
    if (!(file.starts_with("python3") || file.starts_with("libpython3.")) || file.ends_with('t'))
        return DWARF_CB_OK;
    GElf_Addr bias = 0;
    Elf* const elf = dwfl_module_getelf(module, &bias);
    for (Elf_Scn* section = nullptr; elf != nullptr && (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNSYM ||
            header.sh_entsize == 0)
            continue;
        Elf_Data* const data = elf_getdata(section, nullptr);
        GElf_Sym symbol;
        for (int i = 0; data != nullptr && gelf_getsym(data, i, &symbol) != nullptr; ++i) {
            const char* const text = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (text == nullptr || symbol.st_shndx == SHN_UNDEF)
                continue;
            if (text == std::string_view("_PyRuntime"))
                python.runtime = symbol.st_value + bias;
            else if (text == std::string_view("Py_Version"))
                python.version = symbol.st_value + bias;
        }
    }
    if (python.runtime == 0 || python.version == 0)
        return DWARF_CB_OK;
    python.object = path;
    return DWARF_CB_ABORT;
}

/// The calls of each thread that runs Python, from the innermost out, `most` at most.
std::map<pid_t, std::vector<CodePlace>> calls_in_python(pid_t process, const Python& python, std::size_t most)
{
    std::map<pid_t, std::vector<CodePlace>> calls;
    const std::optional<observe::PythonFrames> frames =
        python.object.empty() ? std::nullopt : observe::PythonFrames::of(process, python.version);
    if (!frames)
        return calls;
    for (const auto& [thread, state] : frames->threads_of(python.runtime))
        for (observe::PythonCall& call : frames->calls_of(state, most))
            calls[thread].push_back({std::move(call.file), 0, std::move(call.function), call.line});
    return calls;
}

/// Where an address of the process lies in a file. A file that has been replaced is not the one that the
/// process runs: then the process's own symbol is all there is.
CodePlace place_of(Dwfl* process, Dwarf_Addr address)
{
    CodePlace place{{}, address};
    Dwfl_Module* const module = dwfl_addrmodule(process, address);
    if (module == nullptr)
        return place;
    const char* const path =
        dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    place.object = path != nullptr ? path : "?";
    Dwarf_Addr bias = 0;
    if (dwfl_module_getelf(module, &bias) != nullptr && ::access(place.object.c_str(), R_OK) == 0) {
        place.address = address - bias;
    } else {
        std::vector<StackFrame> frames;
        append_frames(process, address, frames);
        place.symbol = frames.back().function;
    }
    return place;
}

}  // namespace

std::vector<std::vector<StackFrame>> name_places(const std::vector<CodePlace>& places)
{
    Dwfl_Callbacks callbacks{};
    callbacks.find_debuginfo = find_debuginfo;
    callbacks.section_address = dwfl_offline_section_address;
    const std::unique_ptr<Dwfl, decltype(&dwfl_end)> dwfl(dwfl_begin(&callbacks), &dwfl_end);
    std::map<std::string, Dwfl_Module*> modules;
    if (dwfl != nullptr) {
        dwfl_report_begin(dwfl.get());
        for (const CodePlace& place : places)
            if (const auto [module, is_new] = modules.try_emplace(place.object);
                is_new && !place.object.empty() && place.line == 0)
                module->second =
                    dwfl_report_offline(dwfl.get(), place.object.c_str(), place.object.c_str(), -1);
        dwfl_report_end(dwfl.get(), nullptr, nullptr);
    }
    std::vector<std::vector<StackFrame>> result;
    for (const CodePlace& place : places) {
        if (place.line > 0) {
            result.push_back({frame_of_python(place)});
            continue;
        }
        const auto module = modules.find(place.object);
        Dwarf_Addr bias = 0;
        std::vector<StackFrame>& frames = result.emplace_back();
        if (module != modules.end() && module->second != nullptr &&
            dwfl_module_getelf(module->second, &bias) != nullptr)
            append_frames(dwfl.get(), place.address + bias, frames);
        // An address of this process's says nothing.
        if (frames.empty() || frames.back().function.starts_with("0x"))
            frames = {unnamed(place)};
        for (StackFrame& frame : frames)
            frame.of_user = is_of_user(frame) && !observe::is_of_python_package(place.object);
    }
    return result;
}

std::string why_no_stacks()
{
    return {};
}

UnwoundProcess unwind(pid_t process, const StackLimits& limits)
{
    UnwoundProcess result;
    if (!base::proc_has_our_numbers()) {
        result.missing = "/proc is that of another PID namespace; mount one of this (unshare --mount-proc)";
        return result;
    }
    const Clock::time_point deadline = Clock::now() + limits.time;
    std::vector<pid_t> threads = limits.thread > 0 ? std::vector{limits.thread} : threads_of(process);
    if (threads.empty())
        result.missing = "the process is gone";
    if (threads.size() > limits.threads) {
        result.missing =
            fmt::format("{} of {} threads are not shown", threads.size() - limits.threads, threads.size());
        threads.resize(limits.threads);
    }
    std::vector<std::pair<pid_t, std::vector<Dwarf_Addr>>> raw;
    Python python;
    std::map<pid_t, std::vector<CodePlace>> calls;
    Dwfl_Callbacks callbacks{};
    callbacks.find_elf = dwfl_linux_proc_find_elf;
    callbacks.find_debuginfo = find_debuginfo;
    std::unique_ptr<Dwfl, decltype(&dwfl_end)> dwfl(nullptr, &dwfl_end);
    {
        const StoppedThreads stopped(process, threads, deadline - std::min(limits.time / 2, kForUnwinding));
        if (!stopped.why_not().empty())
            result.missing = stopped.why_not();
        if (stopped.stopped().empty())
            return result;
        dwfl.reset(dwfl_begin(&callbacks));
        if (!dwfl || dwfl_linux_proc_report(dwfl.get(), process) != 0 ||
            dwfl_report_end(dwfl.get(), nullptr, nullptr) != 0 ||
            dwfl_linux_proc_attach(dwfl.get(), process, true) != 0) {
            result.missing = fmt::format("libdw cannot read the process: {}", dwfl_errmsg(-1));
            return result;
        }
        for (const pid_t thread : stopped.stopped()) {
            RawStack stack{{}, limits.frames, limits.behind_handler, deadline};
            if (dwfl_getthread_frames(dwfl.get(), thread, add_address, &stack) < 0 && stack.addresses.empty())
                result.missing = fmt::format("libdw cannot unwind thread {}: {}", thread, dwfl_errmsg(-1));
            raw.emplace_back(thread, std::move(stack.addresses));
        }
        dwfl_getmodules(dwfl.get(), find_python, &python, 0);
        calls = calls_in_python(process, python, limits.frames);
    }
    for (const auto& [thread, addresses] : raw) {
        UnwoundThread& unwound =
            result.threads.emplace_back(UnwoundThread{thread, name_of_thread(process, thread), {}});
        for (const Dwarf_Addr address : addresses)
            unwound.places.push_back(place_of(dwfl.get(), address));
        if (const auto found = calls.find(thread); found != calls.end())
            put_python_calls(unwound.places, std::move(found->second), python.object);
    }
    return result;
}

}  // namespace tutti::launcher
