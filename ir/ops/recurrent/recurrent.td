// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

// Sequences have the shape [batch, steps, ...]. A step that is not below the length of its row keeps the
// states of the step before it. So the state before a step is always the state of the neighbouring step, even
// if the steps run backwards.
def Cutset_LstmOp : Compute<"lstm"> {
  let builderNamespace = "cutset::ops";
  let summary = "One layer and direction of a long short-term memory (Hochreiter and Schmidhuber, Neural "
                "Computation 1997), over sequences that are multiplied with the input weights before. In "
                "each step, the four parts of x + weight * state are the gates i, f, g and o of PyTorch: "
                "the next cell is sigmoid(f) * cell + sigmoid(i) * tanh(g), and the next state sigmoid(o) * "
                "tanh(next cell). If `reverse` is set, the last step comes first. A step at or after the "
                "length of its row keeps the state and the cell; a length is limited to 0 and the number of "
                "steps";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$weight, AnyRankedTensor:$initial_state,
                    AnyRankedTensor:$initial_cell, Optional<AnyRankedTensor>:$lengths);
  let attributes = (ins DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs AnyRankedTensor:$states, AnyRankedTensor:$cells, AnyRankedTensor:$last_state,
                      AnyRankedTensor:$last_cell);
  let constraints = ["C1: x is [batch, steps, 4 hidden] with one step or more and a floating-point type",
                     "C2: the weight is [4 hidden, hidden] with hidden of 1 or more; it has the element "
                     "type of x, as all operands but the lengths",
                     "C3: initial_state and initial_cell are [batch, hidden]",
                                                            "C4: the lengths are [batch] and i32 or i64"];
  let returns = "the states and the cells after each step, [batch, steps, hidden], and the state and the "
                "cell after the last step, [batch, hidden]; the element type of x";
  let example = [{%h, %c, %last_h, %last_c = cutset.lstm %x, %w, %h0, %c0
                  : tensor<8x16x128xf32>, tensor<128x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>}];
}
def Cutset_LstmBackwardOp : NotDifferentiable<"lstm_backward"> {
  let builderNamespace = "cutset::ops";
  let summary = "Gradients of lstm for x and for the initial state and cell. The operands are the gradients "
                "of the states and cells after each step, x, the products of the weight and the state "
                "before each step, and the cell before each step";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$gradient_cells, AnyRankedTensor:$x,
                    AnyRankedTensor:$products, AnyRankedTensor:$previous_cells, AnyRankedTensor:$weight,
                    Optional<AnyRankedTensor>:$lengths);
  let attributes = (ins DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs AnyRankedTensor:$gradient_x, AnyRankedTensor:$gradient_initial_state,
                      AnyRankedTensor:$gradient_initial_cell);
  let constraints = ["C1, C2 and C4: as for lstm", "C5: gradient, gradient_cells and previous_cells are "
                                                   "[batch, steps, hidden]",
                     "C6: products has the type of x"];
  let returns = "the type of x, and twice [batch, hidden]";
  let example = [{%dx, %dh, %dc = cutset.lstm_backward %g, %gc, %x, %p, %c, %w
                  : tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x128xf32>, tensor<8x16x128xf32>,
                    tensor<8x16x32xf32>, tensor<128x32xf32>}];
}
def Cutset_GruOp : Compute<"gru"> {
  let builderNamespace = "cutset::ops";
  let summary = "One layer and direction of gated recurrent units (Cho and others, EMNLP 2014), over "
                "sequences that are multiplied with the input weights before. In each step, r and z are the "
                "sigmoids of the first two parts of x + weight * state. With the third parts x3 and "
                "weight3, n is tanh(x3 + r * (weight3 * state + bias)) if `linear_before_reset` is set, and "
                "otherwise tanh(x3 + weight3 * (r * state) + bias). The next state is (1 - z) * n + z * "
                "state. If `reverse` is set, the last step comes first. A step at or after the length of "
                "its row keeps the state; a length is limited to 0 and the number of steps";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$weight, AnyRankedTensor:$bias,
                    AnyRankedTensor:$initial_state,
                    Optional<AnyRankedTensor>:$lengths);
  let attributes = (ins DefaultValuedAttr<BoolAttr, "false">:$reverse,
                        DefaultValuedAttr<BoolAttr, "true">:$linear_before_reset);
  let results = (outs AnyRankedTensor:$states, AnyRankedTensor:$last_state);
  let constraints = ["C1: x is [batch, steps, 3 hidden] with one step or more and a floating-point type",
                     "C2: the weight is [3 hidden, hidden] with hidden of 1 or more, and the bias [hidden]; "
                     "they have the element type of x, as all operands but the lengths",
                     "C3: initial_state is [batch, hidden]", "C4: the lengths are [batch] and i32 or i64"];
  let returns = "the states after each step, [batch, steps, hidden], and the state after the last step, "
                "[batch, hidden]; the element type of x";
  let example = [{%h, %last = cutset.gru %x, %w, %b, %h0
                  : tensor<8x16x96xf32>, tensor<96x32xf32>, tensor<32xf32>, tensor<8x32xf32>}];
}
def Cutset_GruBackwardOp : NotDifferentiable<"gru_backward"> {
  let builderNamespace = "cutset::ops";
  let summary = "Gradients of gru for x, for the third part of the products and for the initial state. The "
                "operands are the gradient of the states after each step, x, the products that each step "
                "adds to x or multiplies with r, with the bias, and the state before each step";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$x, AnyRankedTensor:$products,
                    AnyRankedTensor:$previous_states,
                    AnyRankedTensor:$weight, Optional<AnyRankedTensor>:$lengths);
  let attributes = (ins DefaultValuedAttr<BoolAttr, "false">:$reverse,
                        DefaultValuedAttr<BoolAttr, "true">:$linear_before_reset);
  let results = (outs AnyRankedTensor:$gradient_x, AnyRankedTensor:$gradient_products,
                      AnyRankedTensor:$gradient_initial_state);
  let constraints = ["C1, C2 and C4: as for gru", "C5: gradient and previous_states are [batch, steps, "
                                                  "hidden]",
                     "C6: products has the type of x"];
  let returns = "the type of x, [batch, steps, hidden] and [batch, hidden]";
  let example = [{%dx, %dp, %dh = cutset.gru_backward %g, %x, %p, %h, %w
                  : tensor<8x16x32xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x32xf32>, tensor<96x32xf32>}];
}

// The function of a vanilla recurrent network.
def RnnNonlinearity : Word<["tanh", "relu"]>;

def Cutset_RnnOp : Compute<"rnn"> {
  let builderNamespace = "cutset::ops";
  let summary = "One layer and direction of a vanilla recurrent network (Elman, Cognitive Science 1990), "
                "over sequences that are multiplied with the input weights before: the next state is tanh(x "
                "+ weight * state), or relu of this sum. If `reverse` is set, the last step comes first. A "
                "step at or after the length of its row keeps the state; a length is limited to 0 and the "
                "number of steps";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$weight, AnyRankedTensor:$initial_state,
                    Optional<AnyRankedTensor>:$lengths);
  let attributes = (ins DefaultValuedAttr<BoolAttr, "false">:$reverse,
                        DefaultValuedStrAttr<RnnNonlinearity, "tanh">:$nonlinearity);
  let results = (outs AnyRankedTensor:$states, AnyRankedTensor:$last_state);
  let constraints = ["C1: x is [batch, steps, hidden] with one step or more and a floating-point type",
                     "C2: the weight is [hidden, hidden] with hidden of 1 or more; it has the element type "
                     "of x, as all operands but the lengths",
                     "C3: initial_state is [batch, hidden]", "C4: the lengths are [batch] and i32 or i64"];
  let returns = "the states after each step, [batch, steps, hidden], and the state after the last step, "
                "[batch, hidden]; the element type of x";
  let example = [{%h, %last = cutset.rnn %x, %w, %h0 <{nonlinearity = "relu"}>
                  : tensor<8x16x32xf32>, tensor<32x32xf32>, tensor<8x32xf32>}];
}
def Cutset_RnnBackwardOp : NotDifferentiable<"rnn_backward"> {
  let builderNamespace = "cutset::ops";
  let summary = "Gradients of rnn for x and for the initial state. The operands are the gradient of the "
                "states after each step, and these states";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$states, AnyRankedTensor:$weight,
                    Optional<AnyRankedTensor>:$lengths);
  let attributes = (ins DefaultValuedAttr<BoolAttr, "false">:$reverse,
                        DefaultValuedStrAttr<RnnNonlinearity, "tanh">:$nonlinearity);
  let results = (outs AnyRankedTensor:$gradient_x, AnyRankedTensor:$gradient_initial_state);
  let constraints = ["C1, C2 and C4: as for rnn", "C5: the gradient has the type of the states"];
  let returns = "the type of the states, and [batch, hidden]";
  let example = [{%dx, %dh = cutset.rnn_backward %g, %h, %w : tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<32x32xf32>}];
}
