// SPDX-License-Identifier: Apache-2.0
// The types of the backward ops of lstm, gru and rnn. The rest of their rules is in recurrent.cc.
#include "ir/ops/recurrent/recurrent_check.h"
#include "ir/ops/recurrent/recurrent_rules.h"

namespace cutset::rules {

Result<Types> lstm_backward::infer(const Attrs&, const Types& in) {
  CUTSET_ASSIGN(const RecurrentTypes t, recurrent_types(in[2], in[5], 4));
  CUTSET_TRY(require_type("C5", "gradient", in[0], t.states));
  CUTSET_TRY(require_type("C5", "gradient of the cells", in[1], t.states));
  CUTSET_TRY(require_type("C5", "tensor of previous cells", in[4], t.states));
  CUTSET_TRY(require_type("C6", "tensor of products", in[3], in[2]));
  if (in.size() > 6) CUTSET_TRY(check_lengths(in[6], t));
  return Types{in[2], t.state, t.state};
}

Result<Types> gru_backward::infer(const Attrs&, const Types& in) {
  CUTSET_ASSIGN(const RecurrentTypes t, recurrent_types(in[1], in[4], 3));
  CUTSET_TRY(require_type("C5", "gradient", in[0], t.states));
  CUTSET_TRY(require_type("C5", "tensor of previous states", in[3], t.states));
  CUTSET_TRY(require_type("C6", "tensor of products", in[2], in[1]));
  if (in.size() > 5) CUTSET_TRY(check_lengths(in[5], t));
  return Types{in[1], t.states, t.state};
}

Result<Types> rnn_backward::infer(const Attrs&, const Types& in) {
  CUTSET_ASSIGN(const RecurrentTypes t, recurrent_types(in[1], in[2], 1));
  CUTSET_TRY(require_type("C5", "gradient", in[0], t.states));
  if (in.size() > 3) CUTSET_TRY(check_lengths(in[3], t));
  return Types{t.states, t.state};
}

}  // namespace cutset::rules
