// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/finite.h"

#include <cmath>

#include "ir/core/number_text.h"
#include "runtime/files/numbers.h"

namespace cutset {
namespace {

// Returns, as text, the first element for which is_wanted(element, its number) is true.
template <class Wanted>
std::string first(const HostTensor& t, const Wanted& is_wanted) {
  const Numbers numbers(t);
  for (int64_t i = 0, n = t.elements(); i < n; ++i) {
    if (!is_wanted(numbers[i], i)) continue;
    Shape index(t.shape().size());
    int64_t rest = i;
    for (size_t d = index.size(); d-- > 0; rest /= t.shape()[d]) index[d] = rest % t.shape()[d];
    const double number = numbers[i];
    return (std::isnan(number)      ? "nan"
            : std::isfinite(number) ? shortest_text(number)
                                    : std::to_string(number)) +
           (index.empty() ? "" : " at element " + to_string(index));
  }
  return "";
}

// Returns, as text, the first result in which `find` finds an element, and the element.
template <class Find>
std::string first_result(const Function& f, std::span<const HostTensor> results, const Find& find) {
  for (size_t i = 0; i < results.size(); ++i)
    if (const std::string element = find(results[i]); !element.empty())
      return "result '" + f.outputs[i].name + "' is " + element;
  return "";
}

}  // namespace

std::string first_non_finite(const HostTensor& t) {
  if (!is_float(t.dtype())) return "";
  return first(t, [](double x, int64_t) { return !std::isfinite(x); });
}
std::string first_non_finite(const HostTensor& t, const HostTensor& before) {
  if (!is_float(t.dtype())) return "";
  const Numbers numbers(before);
  return first(t, [&](double x, int64_t i) {
    return !std::isfinite(x) && x != numbers[i] && !(std::isnan(x) && std::isnan(numbers[i]));
  });
}
std::string first_nan(const HostTensor& t) {
  return is_float(t.dtype()) ? first(t, [](double x, int64_t) { return std::isnan(x); }) : "";
}
std::string first_outside(const HostTensor& t, const ValueRange& range) {
  return first(t, [&](double x, int64_t) { return !range.holds(x); });
}
std::string refused_result(const Function& f, std::span<const HostTensor> results) {
  return first_result(f, results, [](const HostTensor& r) {
    return r.type().rank() == 0 ? first_non_finite(r) : std::string();
  });
}

std::string result_with_nan(const Function& f, std::span<const HostTensor> results) {
  return first_result(f, results, first_nan);
}

}  // namespace cutset
