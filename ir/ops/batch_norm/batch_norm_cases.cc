// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/batch_norm/batch_norm_rules.h"

namespace cutset::rules {
namespace {

// Returns a problem with x, and a mean and a variance per channel. They need not be the mean and the variance
// of x.
Case channels(std::string name, Shape x, Fill fill = normal(), Fill mean = normal()) {
  const TensorType channel{f32, {x[1]}};
  return {name, {},   {{{f32, x}, fill}, {channel, mean}, {channel, uniform(0.5, 2)}},
          2e-5, 1e-5, "sums in f32"};
}
Case with_epsilon(Case c, double epsilon) {
  c.attributes.emplace_back("epsilon", epsilon);
  return c;
}
std::vector<Case> fixed() {
  // The mean is 10,000 times the standard deviation of 0.3. A difference of mean squares would have no
  // correct digit.
  Case far = channels("far from zero", {8, 2, 4, 4}, uniform(2999.5, 3000.5), integers(3000, 3001));
  far.operands[0].differentiate = far.operands[1].differentiate =
      false;  // f32 values of this size have few digits
  return {channels("images", {4, 3, 5, 5}),     channels("features", {16, 7}),
          channels("volumes", {2, 3, 2, 3, 4}), channels("lines", {3, 4, 6}),
          channels("one pixel", {5, 2, 1}),     channels("one sample", {1, 3, 4, 4}),
          channels("many", {2, 1, 40, 50}),     channels("no samples", {0, 3, 2, 2}),
          channels("no channels", {2, 0, 3}),   far};
}
Case random_channels(PhiloxSequence& r) {
  Shape x(2 + r.below(3));
  for (int64_t& d : x) d = 1 + static_cast<int64_t>(r.below(4));
  return channels("random", x);
}
OpCases changed(Case (*change)(Case), Case (*random)(PhiloxSequence&)) {
  OpCases list{fixed(), random};
  for (Case& c : list.fixed) c = change(c);
  return list;
}

Case norm_of(Case c) {
  const Operand channel{c.operands[1].type};
  c.operands = {c.operands[0], channel, channel, c.operands[1], c.operands[2]};
  return with_epsilon(std::move(c), 0.01);
}
Case scale_of(Case c) {
  c.operands.insert(c.operands.begin(), Operand{c.operands[0].type});
  return with_epsilon(std::move(c), 0.01);
}
Case deviations_of(Case c) {
  c.operands.pop_back();
  return c;
}

}  // namespace

namespace batch_norm {
OpCases cases() {
  return sharded(changed(norm_of, [](PhiloxSequence& r) { return norm_of(random_channels(r)); }), "images",
                 "0 - - - - > 0; 1 0 0 0 0 > 1; 2 - - - - > 2; 3 - - - - > 3");
}
}  // namespace batch_norm
namespace batch_norm_backward_scale {
OpCases cases() {
  return sharded(changed(scale_of, [](PhiloxSequence& r) { return scale_of(random_channels(r)); }), "images",
                 "0 0 - - > +; 1 1 0 0 > 0; 2 2 - - > +; 3 3 - - > +");
}
}  // namespace batch_norm_backward_scale
namespace sum_squared_deviations {
OpCases cases() {
  return sharded(changed(deviations_of, [](PhiloxSequence& r) { return deviations_of(random_channels(r)); }),
                 "images", "0 - > +; 1 0 > 0; 2 - > +; 3 - > +");
}
}  // namespace sum_squared_deviations

}  // namespace cutset::rules
