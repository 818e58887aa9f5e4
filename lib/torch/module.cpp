// The Python module torch_tutti._C.
#include <torch/csrc/utils/pybind.h>

#include <pybind11/chrono.h>

#include "lib/torch/process_group.hpp"
#include "lib/torch/shared_job.hpp"
#include "lib/torch/shared_tensors.hpp"
#include "lib/torch/short_all_reduce.hpp"
#include "tutti/introspection.hpp"

namespace py = pybind11;

namespace {

c10::intrusive_ptr<torch_tutti::Base> make_group(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                 int size, std::chrono::milliseconds timeout,
                                                 std::string group, std::vector<int> global_ranks)
{
    const torch_tutti::Member member{rank, size, std::move(global_ranks), std::move(group)};
    return c10::make_intrusive<torch_tutti::TuttiGroup>(torch_tutti::join(store, member), timeout);
}

torch_tutti::TuttiGroup& own(const char* function, const c10::intrusive_ptr<torch_tutti::Base>& group)
{
    auto* const own = dynamic_cast<torch_tutti::TuttiGroup*>(group.get());
    TORCH_CHECK(own != nullptr, function, ": this group is of another backend than tutti");
    return *own;
}

bool overlaps(const c10::intrusive_ptr<torch_tutti::Base>& group)
{
    return own("overlaps", group).overlaps();
}

void set_group_name(const c10::intrusive_ptr<torch_tutti::Base>& group, const std::string& name)
{
    own("set_group_name", group).set_name(name);
}

/// Returns rank 0's `line` at all ranks of the launcher's job.
std::string broadcast_line(const std::string& line)
{
    const tutti::Communicator world = torch_tutti::join_launched();
    std::size_t length = line.size();
    world.broadcast(length);
    std::string text = line;
    text.resize(length);
    world.broadcast(text);
    return text;
}

}  // namespace

// The name is given by pybind11.
PYBIND11_MODULE(_C, module)  // NOLINT
{
    const auto unlocked = py::call_guard<py::gil_scoped_release>();
    module.def("make_group", make_group, unlocked);
    module.def("overlaps", overlaps);
    module.def("set_group_name", set_group_name, unlocked);
    module.def("is_launched", torch_tutti::is_launched);
    module.def(
        "launched_rank_and_size",
        [] {
            const tutti::Communicator world = torch_tutti::join_launched();
            return std::pair(world.rank(), world.size());
        },
        unlocked);
    module.def(
        "is_beside_rank_0", [] { return torch_tutti::is_beside_rank_0(torch_tutti::join_launched()); },
        unlocked);
    module.def("addresses_of_host", tutti::addresses_of_host);
    module.def("broadcast_line", broadcast_line, unlocked);
    module.def("join_all", torch_tutti::join_all, unlocked);
    module.def("leave", torch_tutti::leave, unlocked);
    module.def("share_new_tensors", torch_tutti::share_new_tensors);
    module.def("short_all_reduce", torch_tutti::short_all_reduce);
}
