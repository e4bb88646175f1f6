// SPDX-License-Identifier: Apache-2.0
#include <cutset/verify.h>

#include "frontends/cpp/inspect/verification.h"
#include "runtime/device/backend_report.h"
#include "runtime/program/check/check_program.h"

namespace cutset {

std::vector<std::string> available_devices() {
  std::vector<std::string> devices;
  for (const BackendReport& r : report_backends())
    if (r.missing.empty()) devices.push_back(r.kind + ":0");
  return devices;
}

VerifyResult verify(const Graph& graph, const CompileOptions& options, std::span<const Batch> batches,
                    const VerifyOptions& verify_options) {
  if (batches.empty()) raise(invalid_argument("there is no batch to verify with"));
  const Verification v = check(Verification::prepare(*graph.state(), options, batches));
  VerifyResult result;
  result.strategy = v.strategy();
  Program program = v.program();
  if (!verify_options.mutation.empty()) {
    const Mutation mutation = check(parse_mutation(verify_options.mutation));
    const auto sites = mutation_sites(program, mutation, v.devices());
    if (sites.empty())
      raise(invalid_argument("the program has no site for the mutation '" + verify_options.mutation + "'",
                             "another strategy or model may have one"));
    PhiloxSequence random(verify_options.mutation_seed, 17);
    Mutant mutant = mutate(std::move(program), mutation, sites[random.below(sites.size())], v.devices());
    program = std::move(mutant.program);
    result.mutation = mutant.description;
  }
  const VerifyReport report = check(v.run(program, batches));
  result.ops = report.ops;
  result.edges = report.edges;
  result.worst = report.worst;
  result.worst_at = report.worst_at;
  result.not_finite = report.not_finite;
  for (const Difference& d : report.differences) result.differences.push_back(d.text());
  // Each op reads the values of the reference, so the steps cannot show memory that is used again too early,
  // or an update without a finite check. The check of programs finds such errors.
  if (const Status checked = check_program(program); !checked.ok())
    result.differences.push_back(checked.error().what);
  result.same = result.differences.empty();
  if (!result.same) result.first = result.differences.front();
  return result;
}

}  // namespace cutset
