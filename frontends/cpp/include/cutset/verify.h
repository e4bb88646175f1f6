// Is what a graph computes on some devices, under some strategy, what one device computes?
#pragma once
#include <cutset/session.h>

#include <span>

namespace cutset {

struct VerifyOptions {
  // Makes the compiled program wrong on purpose, in one of the ways that `cutset verify --mutate help` lists,
  // at a place drawn by the seed: to see that it is found.
  std::string mutation;
  uint64_t mutation_seed = 0;
};

struct VerifyResult {
  bool same = true;
  std::string first;                     // the first op or edge that differs: where, by how much
  std::vector<std::string> differences;  // all of them, in the order of the program
  int64_t ops = 0, edges = 0;            // that were compared
  double worst = 0;                      // the largest difference, as a share of its bound
  std::string worst_at;
  std::string strategy;  // with the shares that were found
  std::string mutation;  // what was done
};

// "cpu:0", "opencl:0", ...: one device of each kind that can be opened here.
std::vector<std::string> available_devices();

// Runs every function of `graph` on each batch, op by op, every op fed with the values of the reference device,
// through every transfer and sum. A batch has all inputs of the graph. Throws cutset::Error where the graph does not
// compile, a batch does not fit or a device fails; a program that gets stuck is a difference.
VerifyResult verify(const Graph& graph, const CompileOptions& options, std::span<const Batch> batches,
                    const VerifyOptions& verify_options = {});

}  // namespace cutset
