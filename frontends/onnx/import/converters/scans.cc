// SPDX-License-Identifier: Apache-2.0
// Scan, unrolled over the length of its operands (decision 48).
#include <algorithm>

#include "frontends/onnx/import/converters.h"
#include "frontends/onnx/import/values/control_values.h"
#include "ir/core/number_text.h"

namespace cutset::onnx {
namespace {

constexpr int64_t kMostSlices = 65536;  // the most slices of one operand: the limit of split_with_sizes

class Scan {
 public:
  // Before version 9, operand 0 has the lengths of the sequences, and the first dimension of all other
  // operands is the batch.
  explicit Scan(Node& n) : n_(n), body_(n, "body"), batched_(n.opset() < 9), first_(batched_ ? 1 : 0) {
    const int64_t inputs = n.number("num_scan_inputs", 0), given = std::max(n.operands() - first_, 0);
    if (inputs < 1 || inputs > given)
      invalid("num_scan_inputs of " + n.shown_name() + " is " + std::to_string(inputs) +
              ", but the node has " + counted(static_cast<size_t>(given), "operand"));
    scanned_ = static_cast<int>(inputs);
    states_ = static_cast<int>(given - inputs);
    body_.require_inputs(static_cast<int>(given));
    collected_ = body_.outputs() - states_;
    if (collected_ < 0 || n.results() > body_.outputs())
      invalid("body of " + n.shown_name() + " has " +
              counted(static_cast<size_t>(body_.outputs()), "output") + "; the node has " +
              counted(static_cast<size_t>(states_), "state") + " and " +
              counted(static_cast<size_t>(n.results()), "result"));
    reversed_inputs_ = flags(batched_ ? "directions" : "scan_input_directions", scanned_);
    reversed_outputs_ =
        batched_ ? Flags(static_cast<size_t>(collected_)) : flags("scan_output_directions", collected_);
    input_axes_ = batched_ ? Axes(static_cast<size_t>(scanned_)) : axes("scan_input_axes", scanned_);
    output_axes_ = batched_ ? Axes(static_cast<size_t>(collected_)) : axes("scan_output_axes", collected_);
  }

  Results run() { return batched_ ? run_batch() : run_one().value_or(Results()); }

 private:
  using Flags = std::vector<bool>;
  using Axes = std::vector<int64_t>;

  // Returns an attribute with one number per operand or result, or zeros if the node does not have it.
  Axes axes(const char* name, int count) const {
    const auto size = static_cast<size_t>(count);
    Axes numbers = n_.numbers(name).value_or(Axes(size));
    if (numbers.size() != size)
      invalid(std::string(name) + " of " + n_.shown_name() + " has " + std::to_string(numbers.size()) +
              " elements in place of " + std::to_string(count));
    return numbers;
  }
  Flags flags(const char* name, int count) const {
    Flags set;
    for (const int64_t number : axes(name, count)) {
      if (number != 0 && number != 1)
        invalid(std::string(name) + " of " + n_.shown_name() + " has the element " + std::to_string(number) +
                ", not 0 or 1");
      set.push_back(number == 1);
    }
    return set;
  }

  // Returns the slices of each scanned operand. All scanned operands have the same number of slices.
  std::vector<Values> slices(const Values& operands) {
    std::vector<Values> all;
    std::optional<int64_t> length;
    for (size_t i = 0; i < operands.size(); ++i) {
      const TensorType& type = operands[i].type();
      const int64_t axis = dimension(input_axes_[i], type.rank()),
                    size = type.shape[static_cast<size_t>(axis)];
      if (length.value_or(size) != size)
        invalid("the operands of " + n_.shown_name() + " have the lengths " + std::to_string(*length) +
                " and " + std::to_string(size));
      if (size > kMostSlices)
        unsupported(n_.shown_name() + " has " + std::to_string(size) + " iterations; the limit is " +
                    std::to_string(kMostSlices));
      length = size;
      n_.bodies().count_values(size);  // checks the limit before values are made
      all.push_back(slices_of(n_, operands[i], axis));
    }
    return all;
  }

  // The states after the last time step, and the collected results of each time step in the order of
  // computation.
  struct Sequence {
    Values states;
    std::vector<Values> collected;
  };
  std::optional<Sequence> scan(Values states, const std::vector<Values>& slices, int64_t length,
                               const std::string& label) {
    Sequence sequence{std::move(states), std::vector<Values>(static_cast<size_t>(collected_))};
    for (int64_t t = 0; t < length; ++t) {
      Values inputs = sequence.states;
      for (size_t i = 0; i < slices.size(); ++i)
        inputs.push_back(slices[i][static_cast<size_t>(reversed_inputs_[i] ? length - 1 - t : t)]);
      const auto outputs = body_.convert(inputs, label + std::to_string(t));
      if (!outputs) return std::nullopt;
      std::copy_n(outputs->begin(), states_, sequence.states.begin());
      for (int k = 0; k < collected_; ++k)
        sequence.collected[static_cast<size_t>(k)].push_back((*outputs)[static_cast<size_t>(states_ + k)]);
    }
    return sequence;
  }

  std::string what(int result) const {
    return "the result " + n_.shown_result(result) + " of " + n_.shown_name();
  }

  // Joins the collected result `k` to one tensor, padded with zeros to `length` rows.
  Value joined(Values parts, size_t k, size_t length) {
    const int result = states_ + static_cast<int>(k);
    if (length == 0) {
      TensorType type = body_.declared_output(result);
      type.shape.insert(type.shape.begin() + dimension(output_axes_[k], type.rank() + 1), 0);
      return zeros(n_, type, what(result));
    }
    if (reversed_outputs_[k]) std::reverse(parts.begin(), parts.end());
    if (parts.size() < length) {
      const TensorType type = parts.empty() ? body_.declared_output(result) : parts[0].type();
      parts.resize(length, zeros(n_, type, what(result)));
    }
    return join(n_, parts, output_axes_[k], what(result));
  }

  std::optional<Results> run_one() {
    Values states, operands;
    for (int i = 0; i < states_; ++i) states.push_back(n_.value(i));
    for (int i = 0; i < scanned_; ++i) operands.push_back(n_.value(states_ + i));
    const std::vector<Values> all = slices(operands);
    const size_t length = all[0].size();
    auto sequence = scan(std::move(states), all, static_cast<int64_t>(length), "");
    if (!sequence) return std::nullopt;
    Results results = std::move(sequence->states);
    for (size_t k = 0; k < sequence->collected.size(); ++k)
      results.push_back(n_.wants(states_ + static_cast<int>(k)) ? joined(sequence->collected[k], k, length)
                                                                : Value());
    return results;
  }

  // Scans each sample of the batch separately.
  Results run_batch() {
    std::vector<Values> samples;  // per operand
    for (int i = 0; i < states_ + scanned_; ++i) {
      const Value& operand = n_.value(first_ + i);
      if (operand.type().rank() < (i < states_ ? 1 : 2))
        invalid("operand " + std::to_string(first_ + i) + " of " + n_.shown_name() + " is a " +
                to_string(operand.type()) + ", which has no batch or no time steps");
      const int64_t batch = operand.type().shape[0];
      if (batch < 1 || batch > kMostSlices || (i > 0 && batch != static_cast<int64_t>(samples[0].size())))
        unsupported("operand " + std::to_string(first_ + i) + " of " + n_.shown_name() + " is a " +
                    to_string(operand.type()) + "; all operands need one batch, from 1 to " +
                    std::to_string(kMostSlices));
      n_.bodies().count_values(batch);
      samples.push_back(slices_of(n_, operand, 0));
    }
    const size_t batch = samples[0].size();
    const auto lengths = n_.has(0) ? std::optional(n_.known_ints(0)) : std::nullopt;
    if (lengths && lengths->size() != batch)
      invalid("the lengths of " + n_.shown_name() + " have " + counted(lengths->size(), "element") + " for " +
              counted(batch, "sample"));
    std::vector<Values> results(static_cast<size_t>(states_ + collected_));
    for (size_t b = 0; b < batch; ++b) {
      Values states, operands;
      for (int i = 0; i < states_ + scanned_; ++i)
        (i < states_ ? states : operands).push_back(samples[static_cast<size_t>(i)][b]);
      const std::vector<Values> all = slices(operands);
      const auto most = static_cast<int64_t>(all[0].size()), length = lengths ? (*lengths)[b] : most;
      if (length < 0 || length > most)
        invalid("the length of sample " + std::to_string(b) + " of " + n_.shown_name() + " is " +
                std::to_string(length) + ", not from 0 to " + std::to_string(most));
      auto sequence = scan(std::move(states), all, length, std::to_string(b) + "/");
      if (!sequence) return {};
      for (int k = 0; k < states_; ++k)
        results[static_cast<size_t>(k)].push_back(sequence->states[static_cast<size_t>(k)]);
      for (size_t k = 0; k < sequence->collected.size(); ++k)
        if (n_.wants(states_ + static_cast<int>(k)))
          results[static_cast<size_t>(states_) + k].push_back(
              joined(std::move(sequence->collected[k]), k, static_cast<size_t>(most)));
    }
    Results joined_results;
    for (int i = 0; i < n_.results(); ++i)
      joined_results.push_back(n_.wants(i) ? join(n_, results[static_cast<size_t>(i)], 0, what(i)) : Value());
    return joined_results;
  }

  Node& n_;
  Body body_;
  bool batched_;
  int first_;  // the first operand that is a state or scanned
  int states_ = 0, scanned_ = 0,
      collected_ = 0;  // the numbers of states, scanned operands and collected results
  Flags reversed_inputs_, reversed_outputs_;
  Axes input_axes_, output_axes_;
};

Results scan_of(Node& n) { return Scan(n).run(); }

}  // namespace

static void add_scans(Converters& table) { table.insert({{"Scan", scan_of}}); }

static const ConverterFamily kScansConverters(add_scans);

}  // namespace cutset::onnx
