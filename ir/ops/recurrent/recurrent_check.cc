// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/recurrent/recurrent_check.h"

namespace cutset {

Result<RecurrentTypes> recurrent_types(const TensorType& x, const TensorType& weight, int64_t parts) {
  const auto sizes = [&](const char* end) {
    return (parts > 1 ? std::to_string(parts) + " hidden" : std::string("hidden")) + end;
  };
  if (!is_float(x.dtype) || x.rank() != 3 || x.shape[1] < 1)
    return invalid_argument("C1: x is " + to_string(x) + "; it must be [batch, steps, " +
                            sizes("] with one step or more and a floating-point type"));
  const int64_t hidden = weight.rank() == 2 ? weight.shape[1] : 0;
  if (hidden < 1 || hidden > INT64_MAX / parts || weight != TensorType{x.dtype, {parts * hidden, hidden}} ||
      x.shape[2] != parts * hidden)
    return invalid_argument("C2: the weight is " + to_string(weight) + "; for x of " + to_string(x) +
                            " it must be [" + sizes(", hidden]"));
  return RecurrentTypes{{x.dtype, {x.shape[0], x.shape[1], hidden}}, {x.dtype, {x.shape[0], hidden}}};
}

Status require_type(const char* constraint, const char* what, const TensorType& type,
                    const TensorType& wanted) {
  if (type == wanted) return {};
  return invalid_argument(std::string(constraint) + ": the " + what + " is " + to_string(type) + ", not " +
                          to_string(wanted));
}

Status check_lengths(const TensorType& lengths, const RecurrentTypes& t) {
  if ((lengths.dtype == i32 || lengths.dtype == i64) && lengths.shape == Shape{t.state.shape[0]}) return {};
  return invalid_argument("C4: the lengths are " + to_string(lengths) + "; they must be " +
                          to_string(TensorType{i32, {t.state.shape[0]}}) + " or i64");
}

}  // namespace cutset
