#include "transports/ofi/provider.hpp"

#include <fmt/format.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

#include "lib/foundation/base/suggest.hpp"
#include "tutti/error.hpp"

namespace tutti::transport::ofi {

namespace {

constexpr int kMemoryModes =
    FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;

fi_info* ask(std::uint64_t capabilities, const ProviderWish& wish)
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
    hints->domain_attr->mr_mode = wish.basic_memory ? static_cast<int>(FI_MR_BASIC) : kMemoryModes;
    if (!wish.name.empty())
        hints->fabric_attr->prov_name = strndup(wish.name.data(), wish.name.size());
    fi_info* found = nullptr;
    const int result = library.getinfo(library.version(), nullptr, nullptr, 0, hints.get(), &found);
    if (result != 0 && result != -FI_ENODATA)
        throw Error(ErrorCode::not_supported, "fabric",
                    fmt::format("libfabric cannot list its providers: {}", library.describe(result)));
    return result == 0 ? found : nullptr;
}

// All usable providers, those with remote reads first. It asks with and without reads: a provider must have
// what is asked for, and offers no more. The order of messages is reported in any case.
InfoPtr ask_for_all(const ProviderWish& wish)
{
    InfoPtr all(ask(FI_MSG | FI_RMA, wish));
    fi_info* const others = ask(FI_MSG, wish);
    if (all == nullptr)
        return InfoPtr(others);
    fi_info* last = all.get();
    while (last->next != nullptr)
        last = last->next;
    last->next = others;
    return all;
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

// The index in `addresses` of this endpoint's address; addresses.size() when it is not among them.
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
    for (const fi_info* info = first; info != nullptr; info = info->next)
        if (std::ranges::find(names, name_of(*info)) == names.end())
            names.push_back(name_of(*info));
    return names;
}

std::string in_words(std::span<const std::string_view> names)
{
    std::string list;
    for (const std::string_view name : names)
        list += (list.empty() ? "" : ", ") + std::string(name);
    return list.empty() ? "none" : list;
}

// "tcp" also means "tcp;ofi_rxm".
bool is_called(std::string_view name, std::string_view provider)
{
    return name.starts_with(provider) && (name.size() == provider.size() || name[provider.size()] == ';');
}

[[noreturn]] void refuse_name(std::string_view provider)
{
    const InfoPtr all = ask_for_all({});
    const auto names = names_in(all.get());
    throw Error(ErrorCode::not_supported, "fabric",
                fmt::format("libfabric has no provider '{}' for unconnected messages{}; there are: {}",
                            provider, base::did_you_mean(provider, names), in_words(names)));
}

bool keeps_order(const fi_info& info)
{
    return (info.tx_attr->msg_order & info.rx_attr->msg_order & FI_ORDER_SAS) != 0;
}

[[noreturn]] void refuse(const ProviderWish& wish, const fi_info* all,
                         std::span<const network::LocalAddress> addresses)
{
    if (wish.adapter)
        throw Error(
            ErrorCode::not_supported, "fabric",
            fmt::format("libfabric finds no network adapter on the networks of {}; its providers here are {}",
                        network::describe(addresses), in_words(names_in(all))));
    throw Error(ErrorCode::not_supported, "fabric",
                fmt::format("libfabric{} reaches no network over {}; name another interface with "
                            "TUTTI_INTERFACE, or use Tutti's own sockets with TUTTI_FABRIC=tcp",
                            wish.name.empty() ? "" : fmt::format("'s provider {}", wish.name),
                            network::describe(addresses)));
}

}  // namespace

const fi_info* best_of(const fi_info* first, const ProviderWish& wish,
                       std::span<const network::LocalAddress> addresses)
{
    using Rank = std::tuple<bool, bool, std::size_t, bool, bool>;  // less is better
    const fi_info* best = nullptr;
    Rank best_rank;
    for (const fi_info* info = first; info != nullptr; info = info->next) {
        if (!wish.name.empty() && !is_called(name_of(*info), wish.name))
            continue;
        const bool adapter = on_adapter(*info);
        const std::size_t place = place_of(*info, addresses);
        // It leads to a network that was not chosen,
        const bool other_network = is_ip(*info) && info->src_addr != nullptr && place == addresses.size();
        // or only to this machine, as far as is known.
        const bool nowhere = !adapter && place == addresses.size() && (is_ip(*info) || wish.name.empty());
        if (other_network || nowhere || (wish.adapter && !adapter))
            continue;
        const bool layered = name_of(*info).find(';') != std::string_view::npos;
        const Rank rank{!adapter, (info->caps & FI_RMA) == 0, place, layered, !keeps_order(*info)};
        if (best == nullptr || rank < best_rank) {
            best = info;
            best_rank = rank;
        }
    }
    return best;
}

// A provider reports an ability only to a caller that asks for it.
bool reports_delivery(const fi_info& info)
{
    const Library& library = Library::get();
    const InfoPtr hints(library.dupinfo(&info));
    if (hints == nullptr || (info.caps & FI_RMA) == 0)
        return false;
    const KeepSignalHandlers keep;
    hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
    fi_info* found = nullptr;
    if (library.getinfo(library.version(), nullptr, nullptr, 0, hints.get(), &found) != 0)
        return false;
    library.freeinfo(found);
    return true;
}

InfoPtr choose_provider(const ProviderWish& wish, std::span<const network::LocalAddress> addresses)
{
    const KeepSignalHandlers keep;  // the first question also loads the vendors' libraries
    const InfoPtr all = ask_for_all(wish);
    const auto names = names_in(all.get());
    if (!wish.name.empty() &&
        std::ranges::none_of(names, [&](auto name) { return is_called(name, wish.name); }))
        refuse_name(wish.name);
    const fi_info* const best = best_of(all.get(), wish, addresses);
    if (best == nullptr)
        refuse(wish, all.get(), addresses);
    InfoPtr chosen(Library::get().dupinfo(best));
    if (chosen == nullptr)
        throw Error(ErrorCode::out_of_memory, "fabric", "no memory for the description of an endpoint");
    return chosen;
}

}  // namespace tutti::transport::ofi
