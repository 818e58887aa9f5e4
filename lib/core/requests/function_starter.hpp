// What persistent requests start, made of a function.
#pragma once

#include <memory>
#include <utility>

#include "tutti/request.hpp"

namespace tutti::detail {

/// Starts an operation by begin(), which returns its Request.
template <class Begin>
std::unique_ptr<Starter> starter_of(Begin begin)
{
    struct Function final : Starter {
        explicit Function(Begin function) : begin(std::move(function)) {}
        Request start() override { return begin(); }

        Begin begin;
    };
    return std::make_unique<Function>(std::move(begin));
}

}  // namespace tutti::detail
