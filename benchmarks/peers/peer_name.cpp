#include "benchmarks/peers/peer_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "lib/foundation/base/suggest.hpp"

namespace tutti::bench {

namespace {

struct KnownPeer {
    std::string_view library;
    std::vector<std::string_view> settings;
};

const std::array<KnownPeer, 3>& known_peers()
{
    static const std::array known = {KnownPeer{"openmpi", {"tuned", "ucx"}}, KnownPeer{"mpich", {"tuned"}},
                                     KnownPeer{"gloo", {}}};
    return known;
}

[[noreturn]] void complain(std::string_view word, std::string_view part, const std::string& what,
                           const std::vector<std::string_view>& candidates)
{
    const std::string remedy = candidates.empty() ? "there are none: leave it out"
                                                  : fmt::format("there are {}", fmt::join(candidates, ", "));
    throw std::invalid_argument(fmt::format("'{}': there is no {} '{}'{}; {}", word, what, part,
                                            base::did_you_mean(part, candidates), remedy));
}

void require_library(std::string_view word, std::string_view library)
{
    std::vector<std::string_view> names;
    for (const KnownPeer& known : known_peers())
        names.push_back(known.library);
    if (std::ranges::find(names, library) == names.end())
        complain(word, library, "peer", names);
}

void require_settings(std::string_view word, const PeerName& name)
{
    std::vector<std::string_view> all;
    for (const KnownPeer& known : known_peers()) {
        if (name.library == known.library || (name.library.empty() && known.library == "openmpi"))
            all = known.settings;
    }
    if (!name.settings.empty() && std::ranges::find(all, name.settings) == all.end())
        complain(word, name.settings, "kind of settings", all);
}

}  // namespace

std::string PeerName::text() const
{
    std::vector<std::string> parts;
    for (const std::string& part : {library, path.string(), settings}) {
        if (!part.empty())
            parts.push_back(part);
    }
    return fmt::format("{}", fmt::join(parts, ":"));
}

PeerName parse_peer(std::string_view word)
{
    PeerName name;
    bool first = true;
    for (std::size_t begin = 0; begin <= word.size(); first = false) {
        const std::size_t end = std::min(word.find(':', begin), word.size());
        const std::string part(word.substr(begin, end - begin));
        begin = end + 1;
        if (part.find('/') != std::string::npos)
            name.path = part;
        else if (first)
            name.library = part;
        else
            name.settings = part;
    }
    if (name.path.empty() || !name.library.empty())
        require_library(word, name.library);
    require_settings(word, name);
    if (name.library == "gloo" && !name.path.empty())
        throw std::invalid_argument(
            fmt::format("'{}': only an MPI can be named by its path; write gloo for the one that Tutti was "
                        "built with",
                        word));
    return name;
}

std::string text_of(const PeerSettings& settings)
{
    std::vector<std::string> parts;
    for (const auto& [name, value] : settings.variables)
        parts.push_back(name + "=" + value);
    parts.insert(parts.end(), settings.words.begin(), settings.words.end());
    return fmt::format("{}", fmt::join(parts, " "));
}

PeerSettings settings_of(std::string_view library, int major, std::string_view name)
{
    if (name.empty())
        return {};
    if (name == "ucx")
        return {{"--mca", "pml", "ucx", "--mca", "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any"},
                {{"UCX_TLS", "posix,self"}}};
    if (library == "mpich" && major < 5)
        return {{}, {{"UCX_TLS", "posix,self"}}};
    if (library == "mpich")
        return {{},
                {{"FI_PROVIDER", "sockets"},
                 {"MPIR_CVAR_CH4_CMA_ENABLE", "0"},
                 {"MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "65536"},
                 {"MPIR_CVAR_REDUCE_INTRANODE_BUFFER_TOTAL_SIZE", "262144"},
                 {"MPIR_CVAR_BCAST_INTRANODE_BUFFER_TOTAL_SIZE", "262144"}}};
    // Copies through shared memory instead of the kernel's, which virtual machines make slow.
    PeerSettings settings;
    const auto set = [&](const std::string& parameter, const std::string& value) {
        settings.words.insert(settings.words.end(), {"--mca", parameter, value});
    };
    const std::string memory = major < 5 ? "vader" : "sm";
    set("pml", "ob1");
    set("btl", memory + ",self");
    if (major < 5)
        set("btl_vader_single_copy_mechanism", "none");
    else
        set("smsc", "^cma");
    set("btl_" + memory + "_eager_limit", "32768");
    set("btl_" + memory + "_max_send_size", "65536");
    return settings;
}

}  // namespace tutti::bench
