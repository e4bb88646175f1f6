// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/launches.h"
#include "backends/portable/update_source.h"
#include "ir/ops/lamb/lamb_sums.h"

namespace cutset::portable {
namespace {

// Functions that several of the kernels call: a weight after the step, and the step of an element before it
// is scaled.
const char* const kStep = R"(
FUNCTION float weight(float old, float beta) { return beta * old + (1.0f - beta); }
FUNCTION float step_of(float w, float m, float v, float a, float b, float epsilon, float decay) {
  return m / a / (sqrt(v / b) + epsilon) + decay * w;
}
)";

std::string moments_source() {
  return update_source("lamb_moments", {"m", "v", "g", "beta1", "beta2"}, {"new_m", "new_v"}, R"(
  new_m[i] = *beta1 * m[i] + (1.0f - *beta1) * g[i];
  new_v[i] = *beta2 * v[i] + (1.0f - *beta2) * (g[i] * g[i]);
)");
}
// Returns the kernel that sums the squares of the variable and of its step per lane.
std::string lanes_source() {
  return kStep + update_source("lamb_lanes", {"w", "m", "v", "a", "b", "beta1", "beta2", "epsilon", "decay"},
                               {"sums"},
                               R"(
  float new_a = weight(*a, *beta1), new_b = weight(*b, *beta2), variable = 0.0f, step = 0.0f;
  for (int k = i; k < size; k += n) {
    float r = step_of(w[k], m[k], v[k], new_a, new_b, *epsilon, *decay);
    variable += w[k] * w[k];
    step += r * r;
  }
  sums[i] = variable;
  sums[n + i] = step;
)",
                               "int size, ");
}
// Returns the kernel that sums the lanes per group of lanes.
std::string groups_source() {
  return update_source("lamb_groups", {"lanes"}, {"sums"}, R"(
  float variable = 0.0f, step = 0.0f;
  for (int k = 0; k < size; ++k) {
    variable += lanes[i * size + k];
    step += lanes[n * size + i * size + k];
  }
  sums[i] = variable;
  sums[n + i] = step;
)",
                       "int size, ");
}
// Returns the kernel that computes the factor of the step.
std::string scale_source() {
  return update_source("lamb_scale", {"groups", "rate"}, {"scale"}, R"(
  float variable = 0.0f, step = 0.0f;
  for (int k = 0; k < size; ++k) {
    variable += groups[k];
    step += groups[size + k];
  }
  variable = sqrt(variable);
  step = sqrt(step);
  *scale = variable == 0.0f || step == 0.0f ? *rate : *rate * (variable / step);
)",
                       "int size, ");
}
std::string variable_source() {
  return kStep + update_source("lamb",
                               {"w", "m", "v", "a", "b", "beta1", "beta2", "epsilon", "decay", "scale"},
                               {"new_w"}, R"(
  float r = step_of(w[i], m[i], v[i], weight(*a, *beta1), weight(*b, *beta2), *epsilon, *decay);
  new_w[i] = w[i] - *scale * r;
)");
}
// The weights are updated last, because the earlier kernels read them.
std::string weights_source() {
  return kStep + update_source("lamb_weights", {"a", "b", "beta1", "beta2"}, {"new_a", "new_b"}, R"(
  *new_a = weight(*a, *beta1);
  *new_b = weight(*b, *beta2);
)");
}

struct Lamb : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    list.need_exact_division();
    const int64_t n = elements(p.out_shape(0));
    const Memory lanes = list.take(2 * kLambLanes * sizeof(float)),
                 groups = list.take(2 * kLambGroups * sizeof(float)), scale = list.take(sizeof(float));
    list.add_flat(moments_source(), "lamb_moments", n,
                  {in(1), in(2), in(5), in(7), in(8), out(1), out(2), n});
    list.add_flat(lanes_source(), "lamb_lanes", kLambLanes,
                  {in(0), out(1), out(2), in(3), in(4), in(7), in(8), in(9), in(10), lanes, n, kLambLanes});
    list.add_flat(groups_source(), "lamb_groups", kLambGroups,
                  {lanes, groups, kLambLanes / kLambGroups, kLambGroups});
    list.add_flat(scale_source(), "lamb_scale", 1, {groups, in(6), scale, kLambGroups, int64_t{1}});
    list.add_flat(variable_source(), "lamb", n,
                  {in(0), out(1), out(2), in(3), in(4), in(7), in(8), in(9), in(10), scale, out(0), n});
    list.add_flat(weights_source(), "lamb_weights", 1,
                  {in(3), in(4), in(7), in(8), out(3), out(4), int64_t{1}});
  }
};

}  // namespace

void register_lamb(abi::KernelTable& kernels) { add_kernel<Lamb>(kernels, "lamb"); }

}  // namespace cutset::portable
