// Rules: infer | shard | cost. The numbers depend on the global element index, so no dimension may
// be split before the op learns of an offset.
#include <cmath>

#include "ir/ops/random/random_rules.h"

namespace cutset::ops {
namespace {
Result<Types> like(const Types& in, double a, double b, bool ordered) {
  if (!is_float(in[0].dtype))
    return invalid_argument(std::string("C1: needs a floating-point type, not ") + name_of(in[0].dtype));
  if (!std::isfinite(a) || !std::isfinite(b) || !ordered)
    return invalid_argument("C2: parameters " + std::to_string(a) + " and " + std::to_string(b) +
                            " do not describe a distribution");
  return Types{in[0]};
}
constexpr double kFlopsAnElement = 40;  // ten rounds of Philox over four words
Cost draw(const Types& in) { return streaming_cost({}, in, kFlopsAnElement * static_cast<double>(in[0].elements())); }
}  // namespace

namespace random_uniform {
Result<Types> infer(const RandomUniformAttrs& a, const Types& in) { return like(in, a.low, a.high, a.low <= a.high); }
ShardingRule shard(const RandomUniformAttrs&, const Types&) { return {}; }
Cost cost(const RandomUniformAttrs&, const Types& in) { return draw(in); }
}  // namespace random_uniform

namespace random_normal {
Result<Types> infer(const RandomNormalAttrs& a, const Types& in) {
  return like(in, a.mean, a.deviation, a.deviation >= 0);
}
ShardingRule shard(const RandomNormalAttrs&, const Types&) { return {}; }
Cost cost(const RandomNormalAttrs&, const Types& in) { return draw(in); }
}  // namespace random_normal

}  // namespace cutset::ops
