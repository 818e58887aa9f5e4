// A process group whose all_reduce moves nothing and has ended when it begins: what torch and Python cost any
// backend.
#include <torch/csrc/utils/pybind.h>
#include <torch/version.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace {

#if TORCH_VERSION_MAJOR >= 2
using Base = c10d::Backend;
#else
using Base = c10d::ProcessGroup;
#endif

class Ended final : public c10d::Work {
public:
    bool wait(std::chrono::milliseconds /*timeout*/) override { return true; }
};

class Nothing final : public Base {
public:
    using Base::Base;
    const std::string getBackendName() const override { return "nothing"; }
    c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& /*tensors*/,
                                             const c10d::AllreduceOptions& /*options*/) override
    {
        return c10::make_intrusive<Ended>();
    }
};

}  // namespace

// The name is given by pybind11.
PYBIND11_MODULE(nothing, module)  // NOLINT
{
    module.def("make_group", [](int rank, int size) -> c10::intrusive_ptr<Base> {
        return c10::make_intrusive<Nothing>(rank, size);
    });
}
