// libfabric, loaded when a transport over it is made and not before: to load it costs 0.3 s and brings in the
// libraries of every vendor.
#pragma once

#include <rdma/fabric.h>
#include <signal.h>

#include <array>
#include <string>

namespace tutti::transport::ofi {

/// The entry points of libfabric. All others are tables of functions in the objects that these make.
class Library {
public:
    /// Loads it at the first call. Throws ErrorCode::not_supported where it is not installed, or too old.
    static const Library& get();
    /// Whether it can be loaded; it is from now on.
    static bool installed() noexcept;

    /// The version of the interface to ask for: ours, or the library's where that is older.
    std::uint32_t version() const noexcept { return version_; }
    /// In libfabric's words; `code` as its functions return it, negative, or positive as in completions.
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

/// Puts every signal back, when it ends, to what was to happen at it when it began: libraries that libfabric
/// loads (libinfinipath, libpsm2) take over SIGSEGV, SIGINT, SIGTERM and others.
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
