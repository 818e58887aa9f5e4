#include "transports/ofi/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tutti/error.hpp"

namespace tutti::transport::ofi {

namespace {

constexpr const char* kName = "libfabric.so.1";
// The oldest interface that this code supports: mr_mode as bits, fi_context2.
constexpr std::uint32_t kOldest = FI_VERSION(1, 9);

// The layout of fi_info belongs to the symbol's version. A newer library may have another layout under the
// same name; it also keeps this one.
constexpr const char* kInfoVersion = FI_MAJOR_VERSION == 1 && FI_MINOR_VERSION < 20 ? "FABRIC_1.3" : nullptr;

template <class Function>
void find(void* library, const char* name, Function& function, const char* symbol_version = nullptr)
{
    void* const symbol =
        symbol_version != nullptr ? dlvsym(library, name, symbol_version) : dlsym(library, name);
    if (symbol == nullptr)
        throw Error(ErrorCode::not_supported, "fabric", fmt::format("{} has no function {}", kName, name));
    std::memcpy(&function, &symbol, sizeof function);
}

// Never unloaded: its providers may leave pointers to its code behind.
void* load() noexcept
{
    return dlopen(kName, RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

KeepSignalHandlers::KeepSignalHandlers() noexcept
{
    for (int signal = 1; signal < NSIG; ++signal) {
        Kept& kept = before_[static_cast<std::size_t>(signal)];
        kept.known = sigaction(signal, nullptr, &kept.action) == 0;
    }
}

KeepSignalHandlers::~KeepSignalHandlers()
{
    for (int signal = 1; signal < NSIG; ++signal) {
        const Kept& kept = before_[static_cast<std::size_t>(signal)];
        struct sigaction now {};
        if (!kept.known || sigaction(signal, nullptr, &now) != 0)
            continue;
        if (now.sa_sigaction != kept.action.sa_sigaction || now.sa_flags != kept.action.sa_flags)
            sigaction(signal, &kept.action, nullptr);
    }
}

const Library& Library::get()
{
    static const Library library;
    return library;
}

bool Library::installed() noexcept
{
    const KeepSignalHandlers keep;
    return load() != nullptr;
}

Library::Library()
{
    // Turns off crash handlers that print a trace: the program's handler or the debugger comes first.
    for (const char* variable : {"IPATH_NO_BACKTRACE", "HFI_NO_BACKTRACE"})
        setenv(variable, "1", 0);
    const KeepSignalHandlers keep;
    void* const library = load();
    if (library == nullptr) {
        const char* const why = dlerror();
        throw Error(ErrorCode::not_supported, "fabric",
                    fmt::format("libfabric cannot be loaded ({}); install it (Debian: libfabric1), or use "
                                "Tutti's own sockets with TUTTI_FABRIC=tcp",
                                why != nullptr ? why : kName));
    }
    std::uint32_t (*runtime_version)() = nullptr;
    find(library, "fi_version", runtime_version);
    find(library, "fi_strerror", strerror_);
    find(library, "fi_getinfo", getinfo, kInfoVersion);
    find(library, "fi_freeinfo", freeinfo, kInfoVersion);
    find(library, "fi_dupinfo", dupinfo, kInfoVersion);
    find(library, "fi_fabric", fabric);
    if (FI_VERSION_LT(runtime_version(), kOldest))
        throw Error(
            ErrorCode::not_supported, "fabric",
            fmt::format("libfabric {}.{} is too old; Tutti needs {}.{} or later", FI_MAJOR(runtime_version()),
                        FI_MINOR(runtime_version()), FI_MAJOR(kOldest), FI_MINOR(kOldest)));
    version_ = std::min<std::uint32_t>(runtime_version(), FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION));
}

std::string Library::describe(long code) const
{
    return strerror_(static_cast<int>(std::labs(code)));
}

}  // namespace tutti::transport::ofi
