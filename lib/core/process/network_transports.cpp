#include "lib/core/process/network_transports.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "lib/foundation/base/say.hpp"
#include "lib/foundation/base/suggest.hpp"
#include "lib/foundation/network/interface_choice.hpp"
#include "lib/foundation/security/key.hpp"
#include "lib/foundation/settings/settings.hpp"
#include "transports/ofi/ofi_transport.hpp"
#include "transports/tcp/congestion.hpp"
#include "transports/tcp/tcp_transport.hpp"

namespace tutti::detail {

namespace {

constexpr std::string_view kWithProvider = "ofi:";

security::Key key_of(bootstrap::Bootstrap& bootstrap)
{
    const auto key = security::Key::from_hex(bootstrap.job_key());
    if (!key)
        throw Error(ErrorCode::bootstrap, "start", "the launcher's key for this job is invalid");
    return *key;
}

std::string host_of_this_rank(const bootstrap::Bootstrap& bootstrap)
{
    std::string host = bootstrap.host_of(bootstrap.rank());
    if (host.empty()) {
        std::array<char, 256> name{};
        gethostname(name.data(), name.size() - 1);
        host = name.data();
    }
    return host;
}

FabricChoice choice_of_environment()
{
    const char* const text = settings::value_of("TUTTI_FABRIC");
    return FabricChoice::parse(text != nullptr ? text : "");
}

bool uses_remote_memory()
{
    const char* const text = settings::value_of("TUTTI_FABRIC_RMA");
    const std::string_view choice = text != nullptr ? text : "";
    if (choice != "" && choice != "on" && choice != "off")
        throw Error(ErrorCode::invalid_argument, "environment",
                    fmt::format("TUTTI_FABRIC_RMA={}{} is neither on nor off", choice,
                                settings::origin_of("TUTTI_FABRIC_RMA")));
    return choice != "off";
}

// Set by tuttirun -v.
bool is_verbose()
{
    return settings::value_of("TUTTI_VERBOSE") != nullptr;
}

// In containers that separate tuttirun's ranks from their daemon, it cannot pass memory on. Such ranks of one
// node use a network if the user names one.
bool may_fall_back(bootstrap::Bootstrap& bootstrap, const FabricChoice& choice)
{
    return choice.kind != FabricChoice::Kind::automatic && bootstrap.size() > 1 &&
           bootstrap.control() == nullptr && bootstrap.started_by_tuttirun();
}

bool is_first_of_node(const bootstrap::Bootstrap& bootstrap)
{
    return bootstrap.local_peers().front() == bootstrap.rank();
}

// The lowest rank of each node reports how its messages reach other nodes.
void report(const bootstrap::Bootstrap& bootstrap, std::string_view host, std::string_view what)
{
    if (is_verbose() && is_first_of_node(bootstrap))
        base::say(
            fmt::format("tutti: rank {} (host {}): other nodes over {}\n", bootstrap.rank(), host, what));
}

}  // namespace

FabricChoice FabricChoice::parse(std::string_view text)
{
    static constexpr std::string_view kNames[] = {"tcp", "ofi", "ofi:PROVIDER"};
    if (text.empty())
        return {};
    if (text == "tcp")
        return {Kind::tcp, {}};
    if (text == "ofi")
        return {Kind::ofi, {}};
    if (text.starts_with(kWithProvider) && text.size() > kWithProvider.size())
        return {Kind::ofi, std::string(text.substr(kWithProvider.size()))};
    throw Error(ErrorCode::invalid_argument, "environment",
                fmt::format("TUTTI_FABRIC={}{} is none of tcp, ofi and ofi:PROVIDER{}", text,
                            settings::origin_of("TUTTI_FABRIC"), base::did_you_mean(text, kNames)));
}

bool has_rdma_adapter(const std::string& root)
{
    std::error_code ignored;
    for (const char* devices : {"/sys/class/infiniband", "/sys/class/cxi"})
        if (std::filesystem::directory_iterator(root + devices, ignored) !=
            std::filesystem::directory_iterator())
            return true;
    return false;
}

void check_network_variables()
{
    static_cast<void>(choice_of_environment());
    static_cast<void>(uses_remote_memory());
    static_cast<void>(network::InterfaceChoice::from_settings());
    if (const std::string choice = transport::tcp::congestion_asked_for(); !choice.empty())
        static_cast<void>(transport::tcp::choose_congestion_control(choice));
}

std::vector<std::unique_ptr<transport::Transport>> make_network_transports(bootstrap::Bootstrap& bootstrap,
                                                                           bool apart)
{
    std::vector<std::unique_ptr<transport::Transport>> transports;
    const FabricChoice choice = choice_of_environment();
    if (bootstrap.node_of_rank().empty() && !apart && !may_fall_back(bootstrap, choice))
        return transports;
    const security::Key key = key_of(bootstrap);
    const std::string host = host_of_this_rank(bootstrap);
    const network::InterfaceChoice interfaces = network::InterfaceChoice::from_settings();

    using Kind = FabricChoice::Kind;
    if (choice.kind == Kind::ofi || (choice.kind == Kind::automatic && has_rdma_adapter())) {
        try {
            auto ofi = std::make_unique<transport::ofi::OfiTransport>(
                transport::ofi::OfiOptions{.rank = bootstrap.rank(),
                                           .ranks = bootstrap.size(),
                                           .key = key,
                                           .host = host,
                                           .interfaces = interfaces,
                                           .provider = choice.provider,
                                           .adapter = choice.kind == Kind::automatic,
                                           .remote_memory = uses_remote_memory(),
                                           .prints_copies = is_first_of_node(bootstrap) && is_verbose()});
            report(bootstrap, host, fmt::format("libfabric, {}", ofi->describe()));
            transports.push_back(std::move(ofi));
        } catch (const Error& error) {
            if (choice.kind == Kind::ofi)
                throw;
            report(bootstrap, host, fmt::format("no adapter: {}", error.what()));
        }
    }
    if (choice.kind != Kind::ofi) {
        auto tcp = std::make_unique<transport::tcp::TcpTransport>(
            transport::tcp::TcpOptions{.rank = bootstrap.rank(),
                                       .ranks = bootstrap.size(),
                                       .key = key,
                                       .host = host,
                                       .interfaces = interfaces,
                                       .congestion_control = transport::tcp::congestion_asked_for(),
                                       // Reports of all ranks would be too many lines.
                                       .prints_addresses = is_verbose() && bootstrap.rank() == 0});
        report(bootstrap, host, fmt::format("TCP, {}", tcp->chosen_addresses()));
        transports.push_back(std::move(tcp));
    }
    return transports;
}

}  // namespace tutti::detail
