// Losses of every form over batches of every size, which replicas have to sum as one device does: without a weight
// of a replica, in shares of any size, and with fewer samples than devices.
#pragma once
#include <cutset/cutset.h>

#include <string>
#include <vector>

namespace cutset::testing {

struct LossForm {
  const char* name;
  Graph (*build)(int64_t batch, uint64_t seed);
  std::vector<int64_t> batches;  // sizes of the batches of a run, in order; a graph is built for the first
  const char *devices, *strategy;
};
const std::vector<LossForm>& loss_forms();

struct FormRun {
  std::vector<double> loss;
  std::map<std::string, HostTensor> before, after;  // variables
  // Copies of a variable that differed in a bit after a step: "@w of replica 1 after step 2".
  std::vector<std::string> unlike_copies;
};
// `repeat` runs through the batches so many times.
FormRun train(const LossForm& form, const CompileOptions& options, uint64_t seed, int repeat = 1);

// loss: the largest relative difference; change: that of the variables' change. What holds is 1e-5 and 1e-4.
struct FormDifference {
  double loss = 0, change = 0;
  bool holds() const { return loss <= 1e-5 && change <= 1e-4; }
};
FormDifference differences(const FormRun& got, const FormRun& want);

// The plain one of them: a mean over the batch, with the logits as an output.
Graph mean_loss(int64_t batch, uint64_t seed);

}  // namespace cutset::testing
