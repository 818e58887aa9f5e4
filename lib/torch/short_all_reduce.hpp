// dist.all_reduce with a shorter way to the backend.
#pragma once

#include <pybind11/pybind11.h>

namespace torch_tutti {

/// A function that takes what `whole`, torch's dist.all_reduce, takes. It sums plain tensors in groups of
/// backend tutti by itself where the call waits for the end and nobody profiles, without an object for
/// options, torch's dispatcher and a Work; all else it leaves to `whole`. `members` has the default group as
/// WORLD, `operators` the values of ReduceOp. One in a process.
pybind11::object short_all_reduce(pybind11::object whole, pybind11::object members,
                                  const pybind11::object& operators);

}  // namespace torch_tutti
