// SPDX-License-Identifier: Apache-2.0
// Verification: does a graph compute the same on some devices, with some strategy, as on one device?
//
// Every op, transfer and sum of the partitioned program is compared with the program of one reference device.
// Kernels and the order of sums may differ, and rounding with them. A difference therefore counts only if it
// exceeds a bound on the rounding error of the op.
#pragma once
#include <cutset/session.h>

#include <span>

namespace cutset {

// The options of verify.
struct VerifyOptions {
  // The name of a mutation, a deliberate error that is made in the compiled program to test that verify finds
  // it. `cutset verify --mutate help` lists the mutations. Empty (default): none.
  std::string mutation = {};
  // Selects the site of the mutation among the sites that the program has.
  uint64_t mutation_seed = 0;
};

// The result of verify.
struct VerifyResult {
  bool same = true;   // whether nothing differs
  std::string first;  // the first op or edge that differs, with its source, device and difference
  std::vector<std::string>
      differences;  // all of them, in the order of the program; last, the result of the check of programs
  int64_t ops = 0, edges = 0;  // the numbers of compared ops, and of transfers, sums, inputs and outputs
  double worst = 0;            // the largest ratio of an accepted difference to its bound; at most 1
  std::string worst_at;        // the op or edge that has this ratio
  // The first value that is not finite and for which a session would not commit a step: "step 1 of 'train':
  // result 'loss' is nan"; in a function that does not train, the first result with NaN. Empty if there is
  // none. The programs then agree on NaN and infinities, so `same` shows little.
  std::string not_finite;
  std::string strategy;  // in its full form, with the shares of the batch
  std::string mutation;  // a description of the mutation that was made, or empty
};

// Returns "cpu:0", "opencl:0" and so on: one device of each kind that can be opened on this machine.
std::vector<std::string> available_devices();

// Compiles `graph` with `options` and runs every function of it on each batch. Each op of the partitioned
// program reads the values that the reference device computed, so that differences do not add up. Each
// transfer and sum is carried out. A batch has the inputs that the results of the functions depend on; an
// input that it leaves out keeps the shape that the graph declares. A program that does not finish is a
// difference. Throws a cutset::Error in these cases:
// - The graph does not compile.
// - There is no batch, or a batch does not fit.
// - A device fails.
// - The program has no site for the mutation.
VerifyResult verify(const Graph& graph, const CompileOptions& options, std::span<const Batch> batches,
                    const VerifyOptions& verify_options = {});

}  // namespace cutset
