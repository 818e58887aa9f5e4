// Registrations that a provider wants bound to the endpoint, which none here does: with a stand-in for one.
#include "transports/ofi/memory.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace tutti::transport::ofi;

namespace {

/// Stands for the objects of a provider that wants registrations bound, and writes down what it is asked.
struct BindingProvider {
    BindingProvider()
    {
        domain.fid.context = this;
        domain.mr = &memory_ops;
        memory_ops.reg = [](fid* of, const void*, std::size_t, std::uint64_t, std::uint64_t,
                            std::uint64_t key, std::uint64_t, fid_mr** made, void*) {
            auto& self = *static_cast<BindingProvider*>(of->context);
            self.asked.push_back("register");
            self.key_asked_for = key;
            self.memory.key = 77;
            *made = &self.memory;
            return 0;
        };
        memory.fid.context = this;
        memory.fid.ops = &ops;
        ops.bind = [](fid* of, fid* to, std::uint64_t) {
            auto& self = *static_cast<BindingProvider*>(of->context);
            self.asked.push_back(to == &self.endpoint.fid ? "bind" : "bind to something else");
            return self.bind_answers;
        };
        ops.control = [](fid* of, int command, void*) {
            auto& self = *static_cast<BindingProvider*>(of->context);
            self.asked.push_back(command == FI_ENABLE ? "enable" : "something else");
            return self.enable_answers;
        };
        ops.close = [](fid* of) {
            static_cast<BindingProvider*>(of->context)->asked.push_back("close");
            return 0;
        };
        domain_attributes.mr_mode = FI_MR_ENDPOINT | FI_MR_PROV_KEY;
        info.domain_attr = &domain_attributes;
    }
    std::optional<Registration> register_some()
    {
        return register_memory(domain, endpoint, MemoryModes(info), std::as_bytes(std::span("memory")),
                               FI_SEND);
    }

    fi_ops_mr memory_ops{};
    fi_ops ops{};
    fid_domain domain{};
    fid_ep endpoint{};
    fid_mr memory{};
    fi_domain_attr domain_attributes{};
    fi_info info{};

    std::vector<std::string> asked;
    std::uint64_t key_asked_for = 1;
    int bind_answers = 0;
    int enable_answers = 0;
};

}  // namespace

TEST_CASE("a registration is bound to the endpoint and enabled where the provider wants that")
{
    BindingProvider provider;
    const auto registration = provider.register_some();
    REQUIRE(registration.has_value());
    CHECK(provider.asked == std::vector<std::string>{"register", "bind", "enable"});
    CHECK(provider.key_asked_for == 0);
    CHECK(registration->key == 77);
    end_registration(*registration);
    CHECK(provider.asked.back() == "close");

    BindingProvider without;
    without.domain_attributes.mr_mode = FI_MR_PROV_KEY;
    CHECK(without.register_some().has_value());
    CHECK(without.asked == std::vector<std::string>{"register"});
}

TEST_CASE("a registration that cannot be bound or enabled is none, and is ended")
{
    BindingProvider provider;
    SECTION("bound")
    {
        provider.bind_answers = -1;
        CHECK_FALSE(provider.register_some().has_value());
        CHECK(provider.asked == std::vector<std::string>{"register", "bind", "close"});
    }
    SECTION("enabled")
    {
        provider.enable_answers = -1;
        CHECK_FALSE(provider.register_some().has_value());
        CHECK(provider.asked == std::vector<std::string>{"register", "bind", "enable", "close"});
    }
}
