// Which provider is taken of those that libfabric names: lists that are made up, of adapters that no machine
// here has.
#include "transports/ofi/provider.hpp"

#include <catch2/catch.hpp>

#include <rdma/fi_domain.h>

#include <cstring>
#include <list>
#include <string>
#include <vector>

using namespace tutti;
using namespace tutti::transport::ofi;

namespace {

constexpr std::uint64_t kRma = FI_MSG | FI_RMA;

/// What fi_getinfo would answer.
class InfoList {
public:
    struct Made {
        std::string name;
        std::uint64_t caps = kRma;
        std::string address = {};  // IPv4; empty: of another kind
        bool adapter = false;
        std::uint64_t order = FI_ORDER_SAS;
    };
    explicit InfoList(const std::vector<Made>& list)
    {
        for (const Made& one : list)
            add(one);
    }

    const fi_info* first() { return entries_.empty() ? nullptr : &entries_.front().info; }

private:
    struct Entry {
        std::string name;
        sockaddr_storage address{};
        fi_info info{};
        fi_fabric_attr fabric{};
        fi_tx_attr sending{};
        fi_rx_attr receiving{};
        fid_nic nic{};
        fi_bus_attr bus{};
    };

    void add(const Made& made)
    {
        Entry& entry = entries_.emplace_back();
        entry.name = made.name;
        entry.fabric.prov_name = entry.name.data();
        entry.info.fabric_attr = &entry.fabric;
        entry.info.caps = made.caps;
        entry.sending.msg_order = entry.receiving.msg_order = made.order;
        entry.info.tx_attr = &entry.sending;
        entry.info.rx_attr = &entry.receiving;
        if (!made.address.empty()) {
            socklen_t size = 0;
            entry.address = network::IpAddress::parse(made.address)->to_sockaddr(0, 0, size);
            entry.info.addr_format = FI_SOCKADDR_IN;
            entry.info.src_addr = &entry.address;
            entry.info.src_addrlen = size;
        } else {
            entry.info.addr_format = FI_ADDR_STR;
        }
        if (made.adapter) {
            entry.bus.bus_type = FI_BUS_PCI;
            entry.nic.bus_attr = &entry.bus;
            entry.info.nic = &entry.nic;
        }
        if (entries_.size() > 1)
            std::prev(entries_.end(), 2)->info.next = &entry.info;
    }

    std::list<Entry> entries_;
};

network::LocalAddress address_of(const std::string& text, const std::string& interface)
{
    return {{*network::IpAddress::parse(text), 24, interface}, 1};
}

const std::vector<network::LocalAddress> kTwoNetworks{address_of("10.0.0.1", "eth0"),
                                                      address_of("10.1.0.1", "eth1")};

/// Name and address of what is taken; empty where nothing is.
std::string taken(const std::vector<InfoList::Made>& made, const ProviderWish& wish = {},
                  std::span<const network::LocalAddress> addresses = kTwoNetworks)
{
    InfoList list(made);
    const fi_info* const best = best_of(list.first(), wish, addresses);
    if (best == nullptr)
        return {};
    std::string name = best->fabric_attr->prov_name;
    if (best->src_addr != nullptr)
        name += " " + network::IpAddress::of(*static_cast<const sockaddr*>(best->src_addr))->to_string();
    return name;
}

}  // namespace

TEST_CASE("where an adapter is looked for, none over IP is taken for one")
{
    CHECK(taken({{"net", kRma, "10.0.0.1"}, {"shm"}}, {.adapter = true}).empty());
    CHECK(taken({{"net", kRma, "10.0.0.1"}, {"psm3", FI_MSG, {}, true}}, {.adapter = true}) == "psm3");
    CHECK(taken({}, {.adapter = true}).empty());
}

TEST_CASE("an adapter is taken before IP, whatever it lacks")
{
    CHECK(taken({{"net", kRma, "10.0.0.1"}, {"efa", kRma, {}, true, 0}}) == "efa");
    CHECK(taken({{"net", kRma, "10.0.0.1"}, {"usnic", FI_MSG, "10.1.0.1", true}}) == "usnic 10.1.0.1");
    CHECK(taken({{"net", kRma, "10.0.0.1"}, {"usnic;ofi_rxd", FI_MSG, {}, true, 0}}) == "usnic;ofi_rxd");
}

TEST_CASE(
    "of several adapters: remote reads, then the preferred network, one piece, the order, and the first "
    "named")
{
    CHECK(taken({{"a", FI_MSG, {}, true}, {"b;ofi_rxm", kRma, {}, true, 0}}) == "b;ofi_rxm");
    CHECK(taken({{"v", kRma, "10.1.0.1", true}, {"v", kRma, "10.0.0.1", true}}) == "v 10.0.0.1");
    CHECK(taken({{"a;ofi_rxm", kRma, {}, true}, {"b", kRma, {}, true, 0}}) == "b");
    CHECK(taken({{"a", kRma, {}, true, 0}, {"b", kRma, {}, true}}) == "b");
    CHECK(taken({{"a", kRma, {}, true}, {"b", kRma, {}, true}}) == "a");
}

TEST_CASE("an adapter with an IP address is taken on the networks that were chosen only")
{
    const InfoList::Made verbs{"verbs;ofi_rxm", kRma, "10.1.0.1", true};
    const std::vector only_eth0{kTwoNetworks.front()};
    CHECK(taken({verbs, {"net", kRma, "10.0.0.1"}}) == "verbs;ofi_rxm 10.1.0.1");
    CHECK(taken({verbs, {"net", kRma, "10.0.0.1"}}, {}, only_eth0) == "net 10.0.0.1");
    CHECK(taken({verbs}, {.name = "verbs"}, only_eth0).empty());
    CHECK(taken({verbs}, {.adapter = true}, only_eth0).empty());
}

TEST_CASE("over IP: an address that was chosen, in its order; what stays on this machine only by its name")
{
    CHECK(taken({{"net", kRma, "10.1.0.1"}, {"net", kRma, "10.0.0.1"}}) == "net 10.0.0.1");
    CHECK(taken({{"udp;ofi_rxd", FI_MSG, "10.0.0.1"}, {"net", kRma, "10.1.0.1"}}) == "net 10.1.0.1");
    CHECK(taken({{"net", kRma, "127.0.0.1"}, {"shm"}}).empty());
    CHECK(taken({{"net", kRma, "10.0.0.1"}, {"shm"}}, {.name = "shm"}) == "shm");
    CHECK(taken({{"net", kRma, "10.0.0.1"}, {"tcp;ofi_rxm", kRma, "10.1.0.1"}}, {.name = "tcp"}) ==
          "tcp;ofi_rxm 10.1.0.1");
}
