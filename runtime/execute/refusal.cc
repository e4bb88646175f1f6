// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/refusal.h"

#include <optional>

#include "ir/core/number_text.h"
#include "runtime/execute/finite.h"

namespace cutset {
namespace {

// An input that explains why a result is not finite: what it holds, and what the user can do.
struct Suspect {
  std::string text, hint;
};

constexpr char kUsualCauses[] =
    "a learning rate that is too large, labels outside the classes, indices outside the table that they "
    "select from, a "
    "function whose derivative is infinite, such as a root at 0, and a batch whose labels are all "
    "ignored";

std::optional<Suspect> with_nan(const std::string& input, const HostTensor& value) {
  const std::string element = first_nan(value);
  if (element.empty()) return {};
  return Suspect{input + " is " + element, "correct the batch, or the function that makes it"};
}

std::optional<Suspect> outside(const std::string& input, const HostTensor& value, const ValueRange& range) {
  const std::string element = first_outside(value, range);
  if (element.empty()) return {};
  return Suspect{input + " is " + element + ", and the graph takes numbers from " +
                     shortest_text(range.least) + " to " + shortest_text(range.below - 1) + " there",
                 "labels and indices are counted from 0; correct the batch, or give the model more classes "
                 "or a longer table"};
}

// Suspects an input with an infinity. The hint allows that the infinity is intended, as in an attention mask.
std::optional<Suspect> with_infinity(const std::string& input, const HostTensor& value) {
  const std::string element = first_non_finite(value);
  if (element.empty()) return {};
  return Suspect{input + " is " + element,
                 std::string("correct the batch, unless the input is infinite for a reason, as a "
                             "mask is; other causes are ") +
                     kUsualCauses};
}

std::optional<Suspect> without_elements(const std::string& input, const HostTensor& value) {
  if (value.elements() != 0) return {};
  return Suspect{input + " has no elements", "leave out batches without samples, which have no mean"};
}

// Returns the first input that `finds` suspects.
template <class Finds>
std::optional<Suspect> first_suspect(const Function& f, std::span<const HostTensor* const> inputs,
                                     const Finds& finds) {
  size_t next = 0;
  for (const Port& port : f.inputs) {
    if (port.feed != Feed::kCaller) continue;
    if (auto found = finds(port.name, "input '" + port.name + "'", *inputs[next++])) return found;
  }
  return {};
}

// Returns the input that explains the result, if any. The surest causes are tried first.
std::optional<Suspect> suspect(const Function& f, const Feeds& feeds,
                               std::span<const HostTensor* const> inputs) {
  const auto any = [&](auto finds) {
    return first_suspect(f, inputs,
                         [&](const std::string&, const std::string& input, const HostTensor& value) {
                           return finds(input, value);
                         });
  };
  if (auto found = any(with_nan)) return found;
  auto label = first_suspect(
      f, inputs, [&](const std::string& name, const std::string& input, const HostTensor& value) {
        const auto range = feeds.ranges.find(name);
        return range == feeds.ranges.end() ? std::nullopt : outside(input, value, range->second);
      });
  if (label) return label;
  if (auto found = any(with_infinity)) return found;
  return any(without_elements);
}

}  // namespace

Failure refused_step(const Function& f, const Feeds& feeds, const std::string& why,
                     std::span<const HostTensor* const> inputs) {
  const auto cause = suspect(f, feeds, inputs);
  return execution_failed("step " + std::to_string(feeds.step) + " of '" + f.name +
                              "' is not committed: " + why + (cause ? ", and " + cause->text : "") +
                              "; the variables keep their values from before this step",
                          cause ? cause->hint : std::string("the usual causes are ") + kUsualCauses);
}

}  // namespace cutset
