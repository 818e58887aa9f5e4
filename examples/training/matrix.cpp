#include "matrix.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <utility>

namespace training {
namespace {

// sum += factor * row, for `count` numbers: the innermost loop of all products.
void add_multiple(float factor, const float* row, std::size_t count, float* sum)
{
    for (std::size_t i = 0; i < count; ++i)
        sum[i] += factor * row[i];
}

}  // namespace

Matrix product(const Matrix& a, const Matrix& b)
{
    Matrix result(a.rows, b.columns);
    for (std::size_t n = 0; n < a.rows; ++n) {
        for (std::size_t i = 0; i < a.columns; ++i)
            add_multiple(a.row(n)[i], b.row(i), b.columns, result.row(n));
    }
    return result;
}

Matrix product_with_transposed(const Matrix& a, const Matrix& b)
{
    // The transposed first: then inner loops run over neighbours.
    Matrix transposed(b.columns, b.rows);
    for (std::size_t i = 0; i < b.rows; ++i) {
        for (std::size_t j = 0; j < b.columns; ++j)
            transposed.row(j)[i] = b.row(i)[j];
    }
    return product(a, transposed);
}

void add_product_of_transposed(const Matrix& a, const Matrix& b, Matrix& sum)
{
    for (std::size_t n = 0; n < a.rows; ++n) {
        for (std::size_t i = 0; i < a.columns; ++i)
            add_multiple(a.row(n)[i], b.row(n), b.columns, sum.row(i));
    }
}

void add(const Matrix& a, Matrix& sum)
{
    std::ranges::transform(a.values, sum.values, sum.values.begin(), std::plus());
}

Matrix random_matrix(std::size_t rows, std::size_t columns, unsigned seed)
{
    Matrix result(rows, columns);
    std::mt19937 random(seed);
    const float bound = std::sqrt(3.0f / static_cast<float>(rows));
    std::uniform_real_distribution<float> uniform(-bound, bound);
    std::ranges::generate(result.values, [&] { return uniform(random); });
    return result;
}

Linear::Linear(Matrix initial) : weights(std::move(initial)), gradient(weights.rows, weights.columns) {}

Matrix Linear::backward(const Matrix& inputs, const Matrix& slopes)
{
    add_product_of_transposed(inputs, slopes, gradient);
    return product_with_transposed(slopes, weights);
}

void Linear::step(float rate)
{
    for (std::size_t i = 0; i < weights.values.size(); ++i)
        weights.values[i] -= rate * gradient.values[i];
    std::ranges::fill(gradient.values, 0.0f);
}

double largest_difference(std::span<const float> a, std::span<const float> b)
{
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = std::fabs(double{a[i]} - double{b[i]});
        if (std::isnan(difference))
            return std::numeric_limits<double>::infinity();
        largest = std::max(largest, difference);
    }
    return largest;
}

}  // namespace training
