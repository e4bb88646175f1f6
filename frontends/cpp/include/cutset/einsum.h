// SPDX-License-Identifier: Apache-2.0
// Sums of products of tensors, written as an equation.
#pragma once
#include <cutset/graph.h>

#include <source_location>
#include <string>
#include <vector>

namespace cutset {

// Returns the Einstein sum of the operands (numpy.einsum, torch.einsum, ONNX Einsum), composed of transposes,
// matrix products and sums:
//
//   einsum("bij,bjk->bik", {x, y})     a batch of matrix products
//   einsum("...ii->...i", {x})         the diagonals of a batch of matrices
//
// The equation names the dimensions of each operand by letters. Operands are separated by commas, and spaces
// are ignored.
// - A letter that occurs several times names dimensions of one size. A letter that occurs twice in one
//   operand takes its diagonal.
// - The result has the dimensions that are named after "->", in that order, and is the sum over all others.
//   Without "->", the result has the letters that occur once, in alphabetical order, upper case first.
// - "..." stands for any number of dimensions, which broadcast by the rules of NumPy and stay in the result.
//   Without "->", they come before the letters of the result.
//
// The operands have one numeric type. Operands are multiplied from the first to the last: products of
// floating-point numbers that are summed are matrix products, and sums of integers wrap around. A function
// can be run with another batch size if the batch is the first dimension of the first operand. The sizes of
// all other dimensions may become part of the program.
//
// Throws a cutset::Error with the line of the call, and adds nothing to the graph, if the equation is
// malformed, if it does not fit the operands, or if an intermediate value has more than eight dimensions.
Tensor einsum(const std::string& equation, const std::vector<Tensor>& operands,
              std::source_location source = std::source_location::current());
// Take one to three operands by position: einsum("ij,jk->ik", x, y).
Tensor einsum(const std::string& equation, const Tensor& x,
              std::source_location source = std::source_location::current());
Tensor einsum(const std::string& equation, const Tensor& x, const Tensor& y,
              std::source_location source = std::source_location::current());
Tensor einsum(const std::string& equation, const Tensor& x, const Tensor& y, const Tensor& z,
              std::source_location source = std::source_location::current());

}  // namespace cutset
