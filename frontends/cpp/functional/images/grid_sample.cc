// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/grid_sample.h>

#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/images/sample_images.h"
#include "frontends/cpp/functional/number_list.h"

namespace cutset {
namespace {

using Where = std::source_location;

// Returns the number of places of each image in the grid. Throws if the grid does not fit the images x.
int64_t places_of(const Tensor& x, const Tensor& grid, size_t axes, Where source) {
  require_tensor(grid, "grid_sample", source);
  const Shape& shape = grid.shape();
  const bool fits =
      shape.size() == axes + 2 && shape[0] == x.shape()[0] && shape.back() == static_cast<int64_t>(axes);
  int64_t places = 1;
  for (size_t d = 1; fits && d <= axes; ++d) places *= shape[d];
  if (!fits || places == 0 || !is_float(grid.dtype()))
    refuse(x, "grid_sample",
           "a grid [n, places..., axes] with at least one place and a floating-point type, not " +
               to_string(grid.type()),
           source);
  return places;
}

// Returns the positions, in pixels, of coordinates from -1 to 1.
Tensor in_pixels(const Tensor& coordinate, int64_t size, bool align_corners, Where source) {
  const auto number = [&](double n) { return constant(coordinate, Number(n, source)); };
  const Tensor from_edge = add(coordinate, number(1), source);
  if (align_corners)
    return mul(mul(from_edge, number(0.5), source), number(static_cast<double>(size - 1)), source);
  return mul(sub(mul(from_edge, number(static_cast<double>(size)), source), number(1), source), number(0.5),
             source);
}

// Returns the coordinates of `size` places along an axis of a grid.
std::vector<double> coordinates_of(int64_t size, bool align_corners) {
  std::vector<double> all;
  const auto n = static_cast<double>(size);
  for (int64_t i = 0; i < size; ++i) {
    const auto at = static_cast<double>(i);
    all.push_back(!align_corners ? (2 * at + 1) / n - 1 : size == 1 ? 0 : 2 * at / (n - 1) - 1);
  }
  return all;
}

}  // namespace

Tensor grid_sample(const Tensor& x, const Tensor& grid, const GridSampleOptions& o, Where source) {
  const auto again = [x = kept(x), grid = kept(grid), o, source](const Counterpart& now) {
    return grid_sample(now(x), now(grid), o, source);
  };
  return compose_in_f32(x, "grid_sample", source, again, std::tie(x), [&](const Tensor& x) {
    const std::vector<int64_t> sizes = image_sizes(x, "grid_sample", source);
    const int64_t places = places_of(x, grid, sizes.size(), source);
    const auto last = static_cast<int64_t>(sizes.size()) + 1;
    const Tensor coordinates = exact_positions(grid, source);
    std::vector<Tensor> positions;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const auto number =
          static_cast<int64_t>(sizes.size() - 1 - d);  // the coordinates have the opposite order
      const Tensor coordinate = ops::slice(coordinates, {.axis = last, .start = number, .length = 1}, source);
      positions.push_back(
          in_pixels(reshape(coordinate, {.shape = {0, places}}, source), sizes[d], o.align_corners, source));
    }
    Shape shape(grid.shape().begin(), grid.shape().end() - 1);
    shape[0] = 0;  // the size of the batch, which no attribute holds
    shape.insert(shape.begin() + 1, x.shape()[1]);
    return reshape(sampled(x, positions, o, source), {.shape = shape}, source);
  });
}

// Adds one term per axis instead of computing a product of matrices. The term of an axis depends on the
// coordinate along this axis alone, so it is computed once per index of the axis.
Tensor affine_grid(const Tensor& theta, const std::vector<int64_t>& sizes, bool align_corners, Where source) {
  return compose_in_f32(theta, "affine_grid", source, std::tie(theta), [&](const Tensor& theta) {
    const auto axes = static_cast<int64_t>(sizes.size());
    const Shape& shape = theta.shape();
    if (axes < 1 || axes > 3 || shape.size() != 3 || shape[1] != axes || shape[2] != axes + 1 ||
        !is_float(theta.dtype()))
      refuse(theta, "affine_grid",
             "theta [n, axes, axes + 1] of a floating-point type, for one to three axes", source);
    const std::vector<int64_t> ones(sizes.size(), 1);
    const auto column = [&](int64_t i) {  // [n, 1..., axes]
      Shape of_places = {0};
      of_places.insert(of_places.end(), ones.begin(), ones.end());
      of_places.push_back(axes);
      return reshape(ops::slice(theta, {.axis = 2, .start = i, .length = 1}, source), {.shape = of_places},
                     source);
    };
    Tensor grid = column(axes);
    for (size_t d = 0; d < sizes.size(); ++d) {
      constexpr int64_t kMost = int64_t{1} << 20;  // the coordinates are constants of the program
      if (sizes[d] < 1 || sizes[d] > kMost)
        refuse(theta, "affine_grid", "sizes from 1 to 2^20, not " + std::to_string(sizes[d]), source);
      Shape along(sizes.size() - d + 1, 1);
      along[0] = sizes[d];
      const Tensor coordinate =
          reshape(list_of(theta.graph(), coordinates_of(sizes[d], align_corners), theta.dtype(), source),
                  {.shape = along}, source);
      grid = add(grid, mul(column(axes - 1 - static_cast<int64_t>(d)), coordinate, source), source);
    }
    return grid;
  });
}

}  // namespace cutset
