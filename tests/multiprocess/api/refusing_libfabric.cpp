// A libfabric whose endpoints refuse to write to remote memory, though they say that they can: the installed
// one, but for that. As libfabric.so.1 in a folder of LD_LIBRARY_PATH.
#include <dlfcn.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <cstdint>
#include <cstdlib>

namespace {

// Whose fi_info has the layout of the headers.
constexpr const char* kInfoVersion = FI_MAJOR_VERSION == 1 && FI_MINOR_VERSION < 20 ? "FABRIC_1.3" : nullptr;

template <class Function>
Function* installed(Function*, const char* name, const char* version = nullptr)
{
    void* const library = dlopen(REAL_LIBFABRIC, RTLD_NOW | RTLD_LOCAL);
    void* symbol = nullptr;
    if (library != nullptr)
        symbol = version != nullptr ? dlvsym(library, name, version) : dlsym(library, name);
    if (symbol == nullptr)
        std::abort();
    return reinterpret_cast<Function*>(symbol);
}

fi_ops_fabric fabric_ops;
fi_ops_domain domain_ops;
fi_ops_rma rma_ops;
decltype(fi_ops_fabric::domain) open_domain;
decltype(fi_ops_domain::endpoint) open_endpoint;

ssize_t refuse(fid_ep*, const fi_msg_rma*, std::uint64_t)
{
    return -FI_ENOSYS;
}

int refusing_endpoint(fid_domain* domain, fi_info* info, fid_ep** endpoint, void* context)
{
    const int result = open_endpoint(domain, info, endpoint, context);
    // The provider opens others for its own use.
    if (result == 0 && info->ep_attr->type == FI_EP_RDM) {
        rma_ops = *(*endpoint)->rma;
        rma_ops.writemsg = refuse;
        (*endpoint)->rma = &rma_ops;
    }
    return result;
}

int refusing_domain(fid_fabric* fabric, fi_info* info, fid_domain** domain, void* context)
{
    const int result = open_domain(fabric, info, domain, context);
    if (result == 0) {
        domain_ops = *(*domain)->ops;
        open_endpoint = domain_ops.endpoint;
        domain_ops.endpoint = refusing_endpoint;
        (*domain)->ops = &domain_ops;
    }
    return result;
}

}  // namespace

extern "C" {

std::uint32_t fi_version()
{
    return installed(&fi_version, "fi_version")();
}

const char* fi_strerror(int code)
{
    return installed(&fi_strerror, "fi_strerror")(code);
}

int fi_getinfo(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
               const fi_info* hints, fi_info** info)
{
    return installed(&fi_getinfo, "fi_getinfo", kInfoVersion)(version, node, service, flags, hints, info);
}

void fi_freeinfo(fi_info* info)
{
    installed(&fi_freeinfo, "fi_freeinfo", kInfoVersion)(info);
}

fi_info* fi_dupinfo(const fi_info* info)
{
    return installed(&fi_dupinfo, "fi_dupinfo", kInfoVersion)(info);
}

int fi_fabric(fi_fabric_attr* attributes, fid_fabric** fabric, void* context)
{
    const int result = installed(&fi_fabric, "fi_fabric")(attributes, fabric, context);
    if (result == 0) {
        fabric_ops = *(*fabric)->ops;
        open_domain = fabric_ops.domain;
        fabric_ops.domain = refusing_domain;
        (*fabric)->ops = &fabric_ops;
    }
    return result;
}
}
