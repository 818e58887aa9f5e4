// What an owner does with what is pushed to a row of a Table or a SparseTable: optimizers, and functions of a
// program's own.
//
//     tutti::Table<float> weights(world, rows, 16, tutti::adam<float>(0.001));
//     weights.push(named, gradients);                       // each row moves by a step of Adam
//
//     const tutti::UpdateRule<float> clipped([](std::span<float> row, std::span<float>, std::span<const float> pushed) {
//         for (std::size_t i = 0; i < row.size(); ++i)
//             row[i] += std::clamp(pushed[i], -1.0f, 1.0f);
//     });
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>

#include "tutti/data_type.hpp"
#include "tutti/error.hpp"
#include "tutti/window_calls.hpp"

namespace tutti {

/// A function of (row, its state, pushed values) that changes the first two. It sees whole rows: no other
/// rank changes or reads the row meanwhile. State is elements that each row has besides, at its owner.
///
/// The function runs where the row's memory is mapped: at the rank that pushes, if it is of the owner's node,
/// else at the owner, in its calls of Tutti or its progress thread. So all ranks make a table with the same
/// rule, and the function calls nothing of Tutti's. What it throws ends the push with an Error.
template <class T>
class UpdateRule {
public:
    /// Of a row, its state, and what is pushed to it.
    using Function = std::function<void(std::span<T> row, std::span<T> state, std::span<const T> pushed)>;

    /// State of a row of n elements: n x `state_per_element` + `state_per_row` elements, all `initial_state`
    /// at first.
    explicit UpdateRule(Function function, std::size_t state_per_element = 0, std::size_t state_per_row = 0,
                        T initial_state = T{})
        : function_(std::move(function)),
          per_element_(state_per_element),
          per_row_(state_per_row),
          initial_state_(initial_state)
    {
    }

    /// Elements of state that a row of so many elements has.
    std::size_t state_of(std::size_t elements) const noexcept { return elements * per_element_ + per_row_; }
    /// Each of them at first.
    const T& initial_state() const noexcept { return initial_state_; }
    /// The rule itself.
    const Function& function() const noexcept { return function_; }

private:
    Function function_;
    std::size_t per_element_;
    std::size_t per_row_;
    T initial_state_;
};

/// Gradient descent: row -= rate x gradient.
template <std::floating_point T>
UpdateRule<T> sgd(double rate)
{
    return UpdateRule<T>(
        [by = static_cast<T>(rate)](std::span<T> row, std::span<T>, std::span<const T> gradient) {
            for (std::size_t i = 0; i < row.size(); ++i)
                row[i] -= by * gradient[i];
        });
}

/// With momentum, as torch.optim.SGD has it: v = momentum x v + gradient; row -= rate x v. State: v. (B. T.
/// Polyak, "Some methods of speeding up the convergence of iteration methods", 1964.)
template <std::floating_point T>
UpdateRule<T> momentum(double rate, double momentum = 0.9)
{
    const auto apply = [by = static_cast<T>(rate), kept = static_cast<T>(momentum)](
                           std::span<T> row, std::span<T> v, std::span<const T> gradient) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            v[i] = kept * v[i] + gradient[i];
            row[i] -= by * v[i];
        }
    };
    return UpdateRule<T>(apply, 1);
}

/// s += gradient^2; row -= rate x gradient / (sqrt(s) + epsilon). State: s. (J. Duchi, E. Hazan, Y. Singer,
/// "Adaptive Subgradient Methods for Online Learning and Stochastic Optimization", JMLR 2011.)
template <std::floating_point T>
UpdateRule<T> adagrad(double rate, double epsilon = 1e-10)
{
    const auto apply = [by = static_cast<T>(rate), small = static_cast<T>(epsilon)](
                           std::span<T> row, std::span<T> s, std::span<const T> gradient) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            s[i] += gradient[i] * gradient[i];
            row[i] -= by * gradient[i] / (std::sqrt(s[i]) + small);
        }
    };
    return UpdateRule<T>(apply, 1);
}

/// Moments are corrected for their bias by the steps of the row. State: both moments, and those steps. (D. P.
/// Kingma, J. Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015, algorithm 1.)
template <std::floating_point T>
UpdateRule<T> adam(double rate = 0.001, double beta1 = 0.9, double beta2 = 0.999, double epsilon = 1e-8)
{
    const auto apply = [by = static_cast<T>(rate), b1 = static_cast<T>(beta1), b2 = static_cast<T>(beta2),
                        small = static_cast<T>(epsilon)](std::span<T> row, std::span<T> state,
                                                         std::span<const T> gradient) {
        const std::size_t n = row.size();
        const T step = state[2 * n] += 1;
        const T first = by / (1 - std::pow(b1, step));
        const T second = 1 / (1 - std::pow(b2, step));
        for (std::size_t i = 0; i < n; ++i) {
            T& m = state[i];
            T& v = state[n + i];
            m = b1 * m + (1 - b1) * gradient[i];
            v = b2 * v + (1 - b2) * gradient[i] * gradient[i];
            row[i] -= first * m / (std::sqrt(v * second) + small);
        }
    };
    return UpdateRule<T>(apply, 2, 1);
}

namespace detail {

/// Calls a rule on elements as they lie in memory. state_of(row) is where the state begins.
template <class T, class StateOf>
RowRule row_rule(const UpdateRule<T>& rule, StateOf state_of)
{
    return [rule, state_of](const RowMemory& at, const std::byte* pushed) {
        const std::size_t elements = at.bytes / sizeof(T);
        rule.function()(std::span(reinterpret_cast<T*>(at.row), elements),
                        std::span(reinterpret_cast<T*>(state_of(at)), rule.state_of(elements)),
                        std::span(reinterpret_cast<const T*>(pushed), elements));
    };
}

/// A push without an operator.
template <class T>
Update by_rule(bool has_rule)
{
    if (!has_rule)
        throw Error(ErrorCode::invalid_argument, "push",
                    "this table has no rule; make it with one, or name an operator, as tutti::sum");
    return {Update::Kind::rule, Op::sum, data_type_of<T>()};
}

}  // namespace detail
}  // namespace tutti
