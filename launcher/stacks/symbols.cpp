#include "launcher/stacks/symbols.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lib/foundation/observe/fortran_names.hpp"

namespace tutti::launcher {

namespace {

/// What users call these, and how the compiler writes them.
constexpr std::pair<std::string_view, std::string_view> kShortNames[] = {
    {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"},
    {"std::basic_string_view<char, std::char_traits<char> >", "std::string_view"},
};
/// Of a template's name.
constexpr std::size_t kMostNameBytes = 240;

std::string shortened(std::string name)
{
    for (const auto& [longer, shorter] : kShortNames)
        for (std::size_t at = 0; (at = name.find(longer, at)) != std::string::npos;)
            name.replace(at, longer.size(), shorter);
    if (name.size() > kMostNameBytes)
        name = name.substr(0, kMostNameBytes) + "...";
    return name;
}

std::string demangled(const char* symbol)
{
    if (const auto name = observe::name_in_fortran(symbol))
        return shortened(*name);
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
    return shortened(status == 0 ? name.get() : symbol);
}

std::string last_part(const char* path)
{
    const std::string_view whole = path == nullptr ? "?" : path;
    return std::string(whole.substr(whole.rfind('/') + 1));
}

/// The linker's name says more than the plain one: it has the parameters' types.
std::string name_of(Dwarf_Die& function)
{
    Dwarf_Attribute attribute;
    for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
        if (const char* const text = dwarf_formstring(dwarf_attr_integrate(&function, name, &attribute)))
            return demangled(text);
    const char* const plain = dwarf_diename(&function);
    return plain == nullptr ? "?" : shortened(plain);
}

int number_of(Dwarf_Die& die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    return dwarf_formudata(dwarf_attr(&die, name, &attribute), &value) == 0 ? static_cast<int>(value) : 0;
}

/// Where the function `inlined` is called from, in the file list of its compilation unit.
std::pair<std::string, int> call_site(Dwarf_Die& unit, Dwarf_Die& inlined)
{
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    const auto file = static_cast<std::size_t>(number_of(inlined, DW_AT_call_file));
    if (dwarf_getsrcfiles(&unit, &files, &count) != 0 || file >= count)
        return {};
    return {last_part(dwarf_filesrc(files, file, nullptr, nullptr)), number_of(inlined, DW_AT_call_line)};
}

/// The compilation unit of an address. clang makes no table of addresses (.debug_aranges) unless it is asked: then each
/// unit says whether the address is its own.
Dwarf_Die* unit_of(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr& bias)
{
    if (Dwarf_Die* const found = dwfl_module_addrdie(module, address, &bias))
        return found;
    Dwarf_Die* unit = nullptr;
    while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr)
        if (dwarf_haspc(unit, address - bias) == 1)
            return unit;
    return nullptr;
}

}  // namespace

void append_frames(Dwfl* process, Dwarf_Addr address, std::vector<StackFrame>& frames)
{
    StackFrame frame;
    frame.function = fmt::format("0x{:x}", address);
    Dwfl_Module* const module = dwfl_addrmodule(process, address);
    if (module == nullptr) {
        frame.object = "no program or library";
        frames.push_back(std::move(frame));
        return;
    }
    const char* const path =
        dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    frame.object = last_part(path);
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit = unit_of(module, address, bias);
    if (Dwarf_Line* const line = unit != nullptr ? dwarf_getsrc_die(unit, address - bias) : nullptr) {
        frame.file = last_part(dwarf_linesrc(line, nullptr, nullptr));
        dwarf_lineno(line, &frame.line);
    }
    // Around an inlined function the first list has where that was written, the second where it was put.
    Dwarf_Die* at_address = nullptr;
    Dwarf_Die* scopes = nullptr;
    const bool known = unit != nullptr && dwarf_getscopes(unit, address - bias, &at_address) > 0;
    const int count = known ? dwarf_getscopes_die(at_address, &scopes) : 0;
    const std::unique_ptr<Dwarf_Die, decltype(&std::free)> first_owner(at_address, &std::free);
    const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owner(scopes, &std::free);
    for (int i = 0; i < count; ++i) {
        if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
            continue;
        StackFrame inlined = frame;
        inlined.function = name_of(scopes[i]);
        frames.push_back(std::move(inlined));
        std::tie(frame.file, frame.line) = call_site(*unit, scopes[i]);
    }
    if (const char* const symbol = dwfl_module_addrname(module, address))
        frame.function = demangled(symbol);
    frames.push_back(std::move(frame));
}

}  // namespace tutti::launcher
