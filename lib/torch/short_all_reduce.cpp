#include "lib/torch/short_all_reduce.hpp"

#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/pybind.h>

#include <algorithm>
#include <array>
#include <typeinfo>
#include <utility>

#include "lib/torch/lost_peer.hpp"
#include "lib/torch/process_group.hpp"

namespace py = pybind11;

namespace torch_tutti {

namespace {

using Operator = c10d::ReduceOp::RedOpType;

enum Parameter { kTensor, kOp, kGroup, kAsyncOp, kParameters };
using Arguments = std::array<PyObject*, kParameters>;

// Python's objects, which live as long as the process.
struct Known {
    py::object whole;
    py::object members;
    py::str world{"WORLD"};
    std::array<PyObject*, kParameters> names{};
    std::array<std::pair<py::object, Operator>, 8> operators;
};
Known* known = nullptr;

class WithoutInterpreter {
public:
    WithoutInterpreter() noexcept : state_(PyEval_SaveThread()) {}
    ~WithoutInterpreter() { PyEval_RestoreThread(state_); }
    WithoutInterpreter(const WithoutInterpreter&) = delete;
    WithoutInterpreter& operator=(const WithoutInterpreter&) = delete;

private:
    PyThreadState* state_;
};

// False for what is no list of the function's parameters.
bool read(Arguments& found, PyObject* const* given, Py_ssize_t count, PyObject* names)
{
    if (count > kParameters)
        return false;
    std::copy_n(given, count, found.begin());
    const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    for (Py_ssize_t i = 0; i < named; ++i) {
        // Names in programs are interned: the same text is the same object.
        const auto name = std::ranges::find(known->names, PyTuple_GET_ITEM(names, i));
        if (name == known->names.end() || found[static_cast<std::size_t>(name - known->names.begin())])
            return false;
        found[static_cast<std::size_t>(name - known->names.begin())] = given[count + i];
    }
    return found[kTensor] != nullptr && (found[kAsyncOp] == nullptr || found[kAsyncOp] == Py_False);
}

// The group of the call, or the default group.
py::object meant(PyObject* group)
{
    if (group != nullptr && group != Py_None)
        return py::reinterpret_borrow<py::object>(group);
    py::object world =
        py::reinterpret_steal<py::object>(PyObject_GetAttr(known->members.ptr(), known->world.ptr()));
    if (!world)
        throw py::error_already_set();
    return world;
}

// nullptr if the object is no group, or one of another backend.
TuttiGroup* group_of(const py::object& object)
{
    py::detail::make_caster<Base> caster;
    if (object.is_none() || !caster.load(object, false))
        return nullptr;
    Base& group = caster;
    return typeid(group) == typeid(TuttiGroup) ? static_cast<TuttiGroup*>(&group) : nullptr;
}

// False if it has done nothing: torch's own function must take the call.
bool reduce(const Arguments& arguments)
{
    const auto op = arguments[kOp] == nullptr ? known->operators.begin()
                                              : std::ranges::find_if(known->operators, [&](const auto& each) {
                                                    return each.first.ptr() == arguments[kOp];
                                                });
    if (op == known->operators.end() || !THPVariable_CheckExact(arguments[kTensor]) ||
        c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::Python))
        return false;
    const py::object kept = meant(arguments[kGroup]);  // another thread may destroy the default group
    TuttiGroup* const group = group_of(kept);
    if (group == nullptr)
        return false;
    // The caller keeps the tensor.
    const at::Tensor& tensor = THPVariable_Unpack(arguments[kTensor]);
    const WithoutInterpreter unlocked;
    return group->allreduce_at_once(tensor, op->second);
}

PyObject* all_reduce(PyObject* /*module*/, PyObject* const* given, Py_ssize_t count, PyObject* names)
{
    try {
        Arguments arguments{};
        if (read(arguments, given, count, names) && reduce(arguments))
            Py_RETURN_NONE;
    } catch (py::error_already_set& error) {
        error.restore();
        return nullptr;
    } catch (const c10::Error& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what_without_backtrace());
        return nullptr;
    } catch (const std::exception& error) {
        note_failure(std::current_exception());
        PyErr_SetString(PyExc_RuntimeError, error.what());
        return nullptr;
    }
    return PyObject_Vectorcall(known->whole.ptr(), given, static_cast<std::size_t>(count), names);
}

PyMethodDef function{
    "all_reduce", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(all_reduce)),
    METH_FASTCALL | METH_KEYWORDS,
    "all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False)\n\nReduces the tensor across all ranks "
    "of the group, in place: torch's function, with a shorter way to backend tutti."};

}  // namespace

py::object short_all_reduce(py::object whole, py::object members, const py::object& operators)
{
    if (known == nullptr) {
        known =
            new Known{.whole = std::move(whole), .members = std::move(members), .names = {}, .operators = {}};
        constexpr std::array kNames{"tensor", "op", "group", "async_op"};
        std::ranges::transform(kNames, known->names.begin(), PyUnicode_InternFromString);
        known->operators = {{{operators.attr("SUM"), Operator::SUM},
                             {operators.attr("AVG"), Operator::AVG},
                             {operators.attr("PRODUCT"), Operator::PRODUCT},
                             {operators.attr("MIN"), Operator::MIN},
                             {operators.attr("MAX"), Operator::MAX},
                             {operators.attr("BAND"), Operator::BAND},
                             {operators.attr("BOR"), Operator::BOR},
                             {operators.attr("BXOR"), Operator::BXOR}}};
    }
    return py::reinterpret_steal<py::object>(PyCFunction_NewEx(&function, nullptr, nullptr));
}

}  // namespace torch_tutti
