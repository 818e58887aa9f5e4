#include "transports/ofi/provider.hpp"

#include <fmt/format.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

#include "lib/base/suggest.hpp"
#include "tutti/error.hpp"

namespace tutti::transport::ofi {

namespace {

constexpr int kMemoryModes =
    FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;

InfoPtr ask(std::uint64_t capabilities, std::uint64_t order, std::string_view provider)
{
    const Library& library = Library::get();
    InfoPtr hints(library.dupinfo(nullptr));
    if (hints == nullptr)
        throw Error(ErrorCode::out_of_memory, "fabric", "no memory to ask libfabric for its providers");
    hints->caps = capabilities;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->av_type = FI_AV_TABLE;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    hints->domain_attr->mr_mode = kMemoryModes;
    hints->tx_attr->msg_order = order;
    hints->rx_attr->msg_order = order;
    if (!provider.empty())
        hints->fabric_attr->prov_name = strndup(provider.data(), provider.size());
    fi_info* found = nullptr;
    const int result = library.getinfo(library.version(), nullptr, nullptr, 0, hints.get(), &found);
    if (result != 0 && result != -FI_ENODATA)
        throw Error(ErrorCode::not_supported, "fabric",
                    fmt::format("libfabric cannot tell its providers: {}", library.describe(result)));
    return InfoPtr(result == 0 ? found : nullptr);
}

// With less and less that is nice to have.
InfoPtr ask_for_best(std::string_view provider)
{
    for (const std::uint64_t capabilities : {FI_MSG | FI_RMA, FI_MSG}) {
        for (const std::uint64_t order : {FI_ORDER_SAS, FI_ORDER_NONE}) {
            if (InfoPtr found = ask(capabilities, order, provider))
                return found;
        }
    }
    return nullptr;
}

std::string_view name_of(const fi_info& info)
{
    return info.fabric_attr->prov_name;
}

bool is_ip(const fi_info& info)
{
    return info.addr_format == FI_SOCKADDR_IN || info.addr_format == FI_SOCKADDR_IN6;
}

bool on_adapter(const fi_info& info)
{
    return info.nic != nullptr && info.nic->bus_attr != nullptr && info.nic->bus_attr->bus_type == FI_BUS_PCI;
}

// How far back in `addresses` the one is that this endpoint would have; their number when it is none of them.
std::size_t place_of(const fi_info& info, std::span<const network::LocalAddress> addresses)
{
    if (!is_ip(info) || info.src_addr == nullptr)
        return addresses.size();
    sockaddr_storage storage{};
    std::memcpy(&storage, info.src_addr, std::min(info.src_addrlen, sizeof storage));
    const auto here = network::IpAddress::of(reinterpret_cast<const sockaddr&>(storage));
    const auto found =
        std::ranges::find_if(addresses, [&](const auto& address) { return address.address == here; });
    return static_cast<std::size_t>(found - addresses.begin());
}

std::vector<std::string_view> names_in(const fi_info* first)
{
    std::vector<std::string_view> names;
    for (const fi_info* info = first; info != nullptr; info = info->next) {
        if (std::ranges::find(names, name_of(*info)) == names.end())
            names.push_back(name_of(*info));
    }
    return names;
}

// "tcp" means "tcp;ofi_rxm", too.
bool is_called(const fi_info& info, std::string_view provider)
{
    const std::string_view name = name_of(info);
    return name.starts_with(provider) && (name.size() == provider.size() || name[provider.size()] == ';');
}

[[noreturn]] void refuse_name(std::string_view provider)
{
    const InfoPtr all = ask_for_best({});
    const auto names = names_in(all.get());
    std::string list;
    for (const std::string_view name : names)
        list += (list.empty() ? "" : ", ") + std::string(name);
    throw Error(ErrorCode::not_supported, "fabric",
                fmt::format("libfabric has no provider '{}' for unconnected messages{}; there are: {}",
                            provider, base::did_you_mean(provider, names), list));
}

}  // namespace

InfoPtr choose_provider(std::string_view provider, std::span<const network::LocalAddress> addresses)
{
    const KeepSignalHandlers keep;  // libraries of vendors are loaded by the first question, too
    const InfoPtr all = ask_for_best(provider);
    using Rank = std::tuple<bool, std::size_t, bool>;  // less is better
    const fi_info* best = nullptr;
    Rank best_rank;
    bool known = provider.empty();
    for (const fi_info* info = all.get(); info != nullptr; info = info->next) {
        if (!provider.empty() && !is_called(*info, provider))
            continue;
        known = true;
        const std::size_t place = place_of(*info, addresses);
        // No address of ours: it leads to where nobody wanted to go, or to this machine only.
        if (!on_adapter(*info) && place == addresses.size() && (is_ip(*info) || provider.empty()))
            continue;
        const Rank rank{!on_adapter(*info), place, name_of(*info).find(';') != std::string_view::npos};
        if (best == nullptr || rank < best_rank) {
            best = info;
            best_rank = rank;
        }
    }
    if (!known)
        refuse_name(provider);
    if (best == nullptr)
        throw Error(ErrorCode::not_supported, "fabric",
                    fmt::format("libfabric{} reaches no network over {}; name another interface with "
                                "TUTTI_INTERFACE, or take Tutti's own sockets with TUTTI_FABRIC=tcp",
                                provider.empty() ? "" : fmt::format("'s provider {}", provider),
                                network::describe(addresses)));
    InfoPtr chosen(Library::get().dupinfo(best));
    if (chosen == nullptr)
        throw Error(ErrorCode::out_of_memory, "fabric", "no memory for the description of an endpoint");
    return chosen;
}

MemoryModes::MemoryModes(const fi_info& info) noexcept
    : local((info.domain_attr->mr_mode & FI_MR_LOCAL) != 0),
      virtual_addresses((info.domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0),
      provider_keys((info.domain_attr->mr_mode & FI_MR_PROV_KEY) != 0),
      bound((info.domain_attr->mr_mode & FI_MR_ENDPOINT) != 0),
      pins_pages((info.domain_attr->mr_mode & FI_MR_ALLOCATED) != 0)
{
}

}  // namespace tutti::transport::ofi
