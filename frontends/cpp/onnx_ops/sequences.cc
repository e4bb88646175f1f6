// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/onnx_ops/sequences.h>
#include <cutset/shapes.h>

#include <algorithm>
#include <map>

#include "frontends/cpp/functional/arange.h"
#include "frontends/cpp/functional/compose.h"
#include "frontends/cpp/functional/number_list.h"

namespace cutset::onnx_ops {
namespace {

void require_numbers(const char* function, const Tensor& numbers, std::source_location source) {
  require_tensor(numbers, function, source);
  if (numbers.dtype() != DType::i32 && numbers.dtype() != DType::i64)
    refuse(numbers, function, "numbers of type i32 or i64", source, "cast them");
}

// Positions along an axis of tensors of one rank: numbers along the axis, and a list with one number per
// sample.
struct Positions {
  const Tensor& x;
  int64_t axis, batch;
  std::source_location source;

  Tensor along(const Tensor& list, int64_t dimension) const {
    Shape shape(static_cast<size_t>(x.type().rank() - dimension), 1);
    shape[0] = dimension == batch ? -1 : list.shape()[0];  // no attribute holds the size of the batch
    return reshape(list, {.shape = shape}, source);
  }
  Tensor numbers() const {
    return along(arange_of(x.graph(), x.shape()[static_cast<size_t>(axis)], DType::i64, source), axis);
  }
  Tensor per_sample(const Tensor& list) const {
    return along(cast(list, {.dtype = DType::i64}, source), batch);
  }
  // Repeats the index along all other dimensions of x.
  Tensor repeated(const Tensor& index) const {
    const Tensor one = ops::slice(x, {.axis = axis, .start = 0, .length = 1}, source);
    return add(index, ops::full_like(cast(one, {.dtype = DType::i64}, source), {.value = 0}, source), source);
  }
};

// Returns the numbers at each place of the n-grams, which have one length: i64 [n-grams] per place.
std::vector<Tensor> numbers_of(const Tensor& x, const std::vector<std::vector<int64_t>>& ngrams,
                               std::source_location source) {
  std::vector<Tensor> all;
  for (size_t k = 0; k < ngrams[0].size(); ++k) {
    std::vector<double> numbers;
    for (const auto& ngram : ngrams) numbers.push_back(static_cast<double>(ngram[k]));
    all.push_back(list_of(x.graph(), numbers, x.dtype(), source));
  }
  return all;
}

// Returns where each n-gram begins in a row if its numbers are `distance` elements apart: i1 [..., places,
// n-grams].
Tensor begins(const Tensor& x, const std::vector<Tensor>& numbers, int64_t distance,
              std::source_location source) {
  const int64_t length = static_cast<int64_t>(numbers.size()), last = x.type().rank() - 1;
  const int64_t places = x.shape().back() - (length - 1) * distance;
  Tensor all;
  for (int64_t k = 0; k < length; ++k) {
    const Tensor part = ops::slice(x, {.axis = last, .start = k * distance, .length = places}, source);
    const Tensor same = cutset::equal(unsqueeze(part, {-1}, source), numbers[static_cast<size_t>(k)], source);
    all = all.defined() ? bitwise_and(all, same, source) : same;
  }
  return all;
}
}  // namespace

Tensor reverse_sequence(const Tensor& x, const Tensor& lengths, int64_t time_axis, int64_t batch_axis,
                        std::source_location source) {
  const auto again = [x = kept(x), lengths = kept(lengths), time_axis, batch_axis,
                      source](const Counterpart& now) {
    return reverse_sequence(now(x), now(lengths), time_axis, batch_axis, source);
  };
  return compose(x, "reverse_sequence", source, again, [&] {
    require_numbers("reverse_sequence", lengths, source);
    const Positions at{x, axis_of(x, "reverse_sequence", time_axis, source),
                       axis_of(x, "reverse_sequence", batch_axis, source), source};
    if (at.axis == at.batch || lengths.shape() != Shape{x.shape()[static_cast<size_t>(at.batch)]})
      refuse(x, "reverse_sequence",
             "one length per sample and a batch that is not the dimension of the time, not lengths of " +
                 to_string(lengths.type()),
             source);
    if (x.shape()[static_cast<size_t>(at.axis)] == 0) return x;
    const Tensor time = at.numbers(), length = at.per_sample(lengths);
    const Tensor reversed = sub(sub(length, constant(length, Number(1, source)), source), time, source);
    const Tensor index = cutset::where(less(time, length, source), reversed, time, source);
    return gather_elements(x, at.repeated(index), {.axis = at.axis}, source);
  });
}

Tensor update_cache(const Tensor& cache, const Tensor& update, const Tensor& start, int64_t axis,
                    bool circular, std::source_location source) {
  const auto again = [cache = kept(cache), update = kept(update), start = kept(start), axis, circular,
                      source](const Counterpart& now) {
    return update_cache(now(cache), now(update), now(start), axis, circular, source);
  };
  return compose(cache, "update_cache", source, again, [&] {
    require_tensor(update, "update_cache", source);
    const Positions at{cache, axis_of(cache, "update_cache", axis, source), 0, source};
    const auto d = static_cast<size_t>(at.axis);
    Shape same = update.shape();
    if (same.size() == cache.shape().size()) same[d] = cache.shape()[d];
    if (at.axis == 0 || same != cache.shape() || update.dtype() != cache.dtype() || update.shape()[d] < 1 ||
        update.shape()[d] > cache.shape()[d])
      refuse(cache, "update_cache",
             "an update of its type and of 1 row to as many rows as the cache along dimension " +
                 std::to_string(at.axis) + ", which is not the batch, not " + to_string(update.type()),
             source);
    Tensor row = at.numbers();
    const auto number = [&](int64_t n) { return constant(row, Number(n, source)); };
    if (start.defined()) {
      require_numbers("update_cache", start, source);
      if (start.shape() != Shape{cache.shape()[0]})
        refuse(cache, "update_cache", "one start per sample, not " + to_string(start.type()), source);
      row = sub(row, at.per_sample(start), source);
    }
    if (circular) row = mod(row, number(cache.shape()[d]), source);
    const Tensor last = number(update.shape()[d] - 1);
    const Tensor written =
        bitwise_and(greater_equal(row, number(0), source), less_equal(row, last, source), source);
    const Tensor index = at.repeated(clip(row, number(0), last, source));
    return cutset::where(written, gather_elements(update, index, {.axis = at.axis}, source), cache, source);
  });
}

Tensor count_ngrams(const Tensor& x, const std::vector<std::vector<int64_t>>& ngrams, int64_t max_skip,
                    std::source_location source) {
  const auto again = [x = kept(x), ngrams, max_skip, source](const Counterpart& now) {
    return count_ngrams(now(x), ngrams, max_skip, source);
  };
  return compose(x, "count_ngrams", source, again, [&] {
    require_numbers("count_ngrams", x, source);
    if (x.type().rank() < 1 || x.shape().back() < 1)
      refuse(x, "count_ngrams", "rows of one element or more", source);
    if (ngrams.empty() || max_skip < 0)
      refuse(x, "count_ngrams", "an n-gram and a max_skip that is not negative", source);
    std::map<size_t, std::vector<size_t>> by_length;  // the indices of the n-grams
    for (size_t g = 0; g < ngrams.size(); ++g) by_length[ngrams[g].size()].push_back(g);
    const Tensor wide = cast(x, {.dtype = DType::i64}, source);
    std::vector<Tensor> counts;
    std::vector<double> places(ngrams.size());  // the index of each n-gram in the joined counts
    size_t joined = 0, comparisons = 0;
    for (const auto& [length, indices] : by_length) {
      std::vector<std::vector<int64_t>> same_length;
      for (const size_t g : indices) {
        same_length.push_back(ngrams[g]);
        places[g] = static_cast<double>(joined++);
        for (const int64_t number : ngrams[g])
          if (number > int64_t{1} << 53 || number < -(int64_t{1} << 53))
            refuse(x, "count_ngrams", "numbers from -2^53 to 2^53", source);
      }
      if (length == 0) refuse(x, "count_ngrams", "n-grams of one number or more", source);
      Tensor count;
      const int64_t steps = static_cast<int64_t>(length) - 1, most = x.shape().back() - 1;
      const std::vector<Tensor> numbers =
          steps <= most ? numbers_of(wide, same_length, source) : std::vector<Tensor>();
      // The distance of a single number does not matter.
      for (int64_t distance = 1; distance - 1 <= (steps ? max_skip : 0) && steps <= most / distance;
           ++distance) {
        if ((comparisons += length) > 4096) refuse(x, "count_ngrams", "at most 4096 comparisons", source);
        const Tensor found = cast(begins(wide, numbers, distance, source), {.dtype = DType::f32}, source);
        const Tensor sums = ops::reduce_sum(found, {.axes = {-2}}, source);
        count = count.defined() ? add(count, sums, source) : sums;
      }
      if (!count.defined()) {  // the rows are too short
        const Tensor first = ops::slice(wide, {.axis = -1, .length = 1}, source);
        count = add(ops::full_like(cast(first, {.dtype = DType::f32}, source), {.value = 0}, source),
                    list_of(x.graph(), std::vector<double>(indices.size()), DType::f32, source), source);
      }
      counts.push_back(count);
    }
    const Tensor all = counts.size() == 1 ? counts[0] : concat(counts, {.axis = -1}, source);
    const bool in_order = std::is_sorted(places.begin(), places.end());
    return in_order ? all : gather(all, list_of(x.graph(), places, DType::i64, source), {.axis = -1}, source);
  });
}

}  // namespace cutset::onnx_ops
