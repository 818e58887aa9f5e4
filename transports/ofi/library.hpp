// libfabric is loaded only when a transport needs it: loading costs 0.3 s and loads the libraries of every
// vendor.
#pragma once

#include <rdma/fabric.h>
#include <signal.h>

#include <array>
#include <string>

namespace tutti::transport::ofi {

/// The entry points of libfabric. All other functions are in tables of the objects that these make.
class Library {
public:
    /// Loads it at the first call. Throws ErrorCode::not_supported when it is not installed or too old.
    static const Library& get();
    /// Whether it can be loaded. The call loads it.
    static bool installed() noexcept;

    /// The version of the interface to ask for: ours, or the library's if that is older.
    std::uint32_t version() const noexcept { return version_; }
    /// libfabric's message; `code` is negative as its functions return it, or positive as in completions.
    std::string describe(long code) const;

    int (*getinfo)(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
                   const fi_info* hints, fi_info** info) = nullptr;
    void (*freeinfo)(fi_info* info) = nullptr;
    fi_info* (*dupinfo)(const fi_info* info) = nullptr;
    int (*fabric)(fi_fabric_attr* attributes, fid_fabric** made, void* context) = nullptr;

private:
    Library();

    std::uint32_t version_ = 0;
    const char* (*strerror_)(int code) = nullptr;
};

/// Restores all signal handlers at its end: libraries that libfabric loads (libinfinipath, libpsm2) replace
/// those of SIGSEGV, SIGINT, SIGTERM and others.
class KeepSignalHandlers {
public:
    KeepSignalHandlers() noexcept;
    ~KeepSignalHandlers();
    KeepSignalHandlers(const KeepSignalHandlers&) = delete;
    KeepSignalHandlers& operator=(const KeepSignalHandlers&) = delete;

private:
    struct Kept {
        bool known = false;
        struct sigaction action {};
    };
    std::array<Kept, NSIG> before_;
};

}  // namespace tutti::transport::ofi
