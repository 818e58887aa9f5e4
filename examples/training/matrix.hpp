// Matrices of floats, and the products that a layer needs forward and backward.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace training {

struct Matrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<float> values;  // row by row, zeros at first

    Matrix() = default;
    Matrix(std::size_t row_count, std::size_t column_count)
        : rows(row_count), columns(column_count), values(row_count * column_count)
    {
    }

    float* row(std::size_t index) { return values.data() + index * columns; }
    const float* row(std::size_t index) const { return values.data() + index * columns; }
};

/// a * b
Matrix product(const Matrix& a, const Matrix& b);
/// a * b^T
Matrix product_with_transposed(const Matrix& a, const Matrix& b);
/// sum += a^T * b
void add_product_of_transposed(const Matrix& a, const Matrix& b, Matrix& sum);
/// sum += a
void add(const Matrix& a, Matrix& sum);

/// Numbers of variance 1 / rows, so that products with them are as large as what comes in. The same seed
/// gives the same numbers on every rank.
Matrix random_matrix(std::size_t rows, std::size_t columns, unsigned seed);

/// A layer: outputs = inputs * weights. Gradients of several backward passes add up until step().
struct Linear {
    Matrix weights;
    Matrix gradient;

    explicit Linear(Matrix initial);

    Matrix forward(const Matrix& inputs) const { return product(inputs, weights); }
    /// `slopes` of the loss by the outputs of these inputs; returns those by the inputs.
    Matrix backward(const Matrix& inputs, const Matrix& slopes);
    void step(float rate);
};

/// The largest difference of two numbers in the same place; infinity where one is a NaN.
double largest_difference(std::span<const float> a, std::span<const float> b);

}  // namespace training
