// Names that Fortran compilers give to the linker, as the program has them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tutti::observe {

/// "exchange (module halo)" of gfortran's "__halo_MOD_exchange" and flang's "_QMhaloPexchange", "the main
/// program" of "MAIN__" and "_QQmain". Nothing for other names.
inline std::optional<std::string> name_in_fortran(std::string_view name)
{
    const auto in_module = [](std::string_view procedure, std::string_view module) {
        return std::string(procedure) + " (module " + std::string(module) + ")";
    };
    constexpr std::string_view kOfModule = "_MOD_";
    if (name == "MAIN__" || name == "_QQmain")
        return "the main program";
    if (const auto at = name.find(kOfModule); name.starts_with("__") && at != name.npos)
        return in_module(name.substr(at + kOfModule.size()), name.substr(2, at - 2));
    if (const auto at = name.find('P'); name.starts_with("_QM") && at != name.npos)
        return in_module(name.substr(at + 1), name.substr(3, at - 3));
    if (name.starts_with("_QP"))
        return std::string(name.substr(3));
    return std::nullopt;
}

}  // namespace tutti::observe
