#include <cutset/constants.h>
#include <cutset/sequences.h>

#include "frontends/cpp/arange.h"
#include "frontends/cpp/compose.h"

namespace cutset {
namespace {

void require_numbers(const char* function, const Tensor& numbers, std::source_location where) {
  require_tensor(numbers, function, where);
  if (numbers.dtype() != DType::i32 && numbers.dtype() != DType::i64)
    refuse(numbers, function, "numbers of type i32 or i64", where, "cast them");
}

// Positions along an axis of tensors of one rank: numbers along the axis, and a list with one number per sample.
struct Positions {
  const Tensor& x;
  int64_t axis, batch;
  std::source_location where;

  Tensor along(const Tensor& list, int64_t dimension) const {
    Shape shape(static_cast<size_t>(x.type().rank() - dimension), 1);
    shape[0] = dimension == batch ? -1 : list.shape()[0];  // no attribute holds the size of the batch
    return reshape(list, {.shape = shape}, where);
  }
  Tensor numbers() const {
    return along(arange_of(x.graph(), x.shape()[static_cast<size_t>(axis)], DType::i64, where), axis);
  }
  Tensor per_sample(const Tensor& list) const { return along(cast(list, {.dtype = DType::i64}, where), batch); }
  // The index repeated along all other dimensions of x.
  Tensor repeated(const Tensor& index) const {
    const Tensor one = slice(x, {.axis = axis, .start = 0, .length = 1}, where);
    return add(index, ops::full_like(cast(one, {.dtype = DType::i64}, where), {.value = 0}, where), where);
  }
};
}  // namespace

Tensor reverse_sequence(const Tensor& x, const Tensor& lengths, int64_t time_axis, int64_t batch_axis,
                        std::source_location where) {
  return compose(x, "reverse_sequence", where, [&] {
    require_numbers("reverse_sequence", lengths, where);
    const Positions at{x, axis_of(x, "reverse_sequence", time_axis, where),
                       axis_of(x, "reverse_sequence", batch_axis, where), where};
    if (at.axis == at.batch || lengths.shape() != Shape{x.shape()[static_cast<size_t>(at.batch)]})
      refuse(x, "reverse_sequence",
             "one length per sample and a batch that is not the dimension of the time, not lengths of " +
                 to_string(lengths.type()),
             where);
    if (x.shape()[static_cast<size_t>(at.axis)] == 0) return x;
    const Tensor time = at.numbers(), length = at.per_sample(lengths);
    const Tensor reversed = sub(sub(length, constant(length, Number(1, where)), where), time, where);
    const Tensor index = cutset::where(less(time, length, where), reversed, time, where);
    return gather_elements(x, at.repeated(index), {.axis = at.axis}, where);
  });
}

Tensor update_cache(const Tensor& cache, const Tensor& update, const Tensor& start, int64_t axis, bool circular,
                    std::source_location where) {
  return compose(cache, "update_cache", where, [&] {
    require_tensor(update, "update_cache", where);
    const Positions at{cache, axis_of(cache, "update_cache", axis, where), 0, where};
    const auto d = static_cast<size_t>(at.axis);
    Shape same = update.shape();
    if (same.size() == cache.shape().size()) same[d] = cache.shape()[d];
    if (at.axis == 0 || same != cache.shape() || update.dtype() != cache.dtype() || update.shape()[d] < 1 ||
        update.shape()[d] > cache.shape()[d])
      refuse(cache, "update_cache",
             "an update of its type and of 1 row to as many rows as the cache along dimension " +
                 std::to_string(at.axis) + ", which is not the batch, not " + to_string(update.type()),
             where);
    Tensor row = at.numbers();
    const auto number = [&](int64_t n) { return constant(row, Number(n, where)); };
    if (start) {
      require_numbers("update_cache", start, where);
      if (start.shape() != Shape{cache.shape()[0]})
        refuse(cache, "update_cache", "one start per sample, not " + to_string(start.type()), where);
      row = sub(row, at.per_sample(start), where);
    }
    if (circular) row = mod(row, number(cache.shape()[d]), where);
    const Tensor last = number(update.shape()[d] - 1);
    const Tensor written = bitwise_and(greater_equal(row, number(0), where), less_equal(row, last, where), where);
    const Tensor index = at.repeated(clip(row, number(0), last, where));
    return cutset::where(written, gather_elements(update, index, {.axis = at.axis}, where), cache, where);
  });
}

}  // namespace cutset
