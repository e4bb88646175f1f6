#include "runtime/execute/finite.h"

#include <cmath>

#include "runtime/files/numbers.h"

namespace cutset {
namespace {

std::string first(const HostTensor& t, bool (*is_wanted)(double)) {
  if (!is_float(t.dtype())) return "";
  const Numbers numbers(t);
  for (int64_t i = 0, n = t.elements(); i < n; ++i) {
    if (!is_wanted(numbers[i])) continue;
    Shape index(t.shape().size());
    int64_t rest = i;
    for (size_t d = index.size(); d-- > 0; rest /= t.shape()[d]) index[d] = rest % t.shape()[d];
    return (std::isnan(numbers[i]) ? "nan" : std::to_string(numbers[i])) +
           (index.empty() ? "" : " at element " + to_string(index));
  }
  return "";
}

// The first result in which `find` finds an element, with this element.
template <class Find>
std::string first_result(const Function& f, std::span<const HostTensor> results, const Find& find) {
  for (size_t i = 0; i < results.size(); ++i)
    if (const std::string element = find(results[i]); !element.empty())
      return "result '" + f.outputs[i].name + "' is " + element;
  return "";
}

}  // namespace

std::string first_non_finite(const HostTensor& t) {
  return first(t, [](double x) { return !std::isfinite(x); });
}
std::string first_nan(const HostTensor& t) {
  return first(t, [](double x) { return std::isnan(x); });
}
std::string refused_result(const Function& f, std::span<const HostTensor> results) {
  return first_result(f, results,
                      [](const HostTensor& r) { return r.type().rank() == 0 ? first_non_finite(r) : std::string(); });
}

std::string result_with_nan(const Function& f, std::span<const HostTensor> results) {
  return first_result(f, results, first_nan);
}

}  // namespace cutset
