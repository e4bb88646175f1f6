// SPDX-License-Identifier: Apache-2.0
#include "runtime/verify/mutate.h"

#include <algorithm>

#include "runtime/verify/mutations/actions.h"
#include "runtime/verify/mutations/kernels.h"
#include "runtime/verify/mutations/values.h"

namespace cutset {
namespace {

using mutations::At;
using mutations::lies_in;
using mutations::List;

const mutations::Kind& kind_of(Mutation m) {
  using namespace mutations;
  // The kinds, in the order of the enumeration Mutation.
  static const Kind* const kinds[] = {
      &dropped_count,  &missing_all_reduce, &swapped_recv,        &stale_read,  &wrong_share,
      &lost_division,  &wrong_kernel,       &exchanged_variables, &wrong_axis,  &update_twice,
      &dropped_update, &local_count,        &wrong_first_element, &wrong_slice, &lost_term,
      &doubled_term,   &missing_vote,       &wrong_micro_batch,   &wrong_slot,  &partial_for_whole,
      &early_update,   &stale_shared_value, &reordered_actions};
  return *kinds[static_cast<size_t>(m)];
}

template <class F>
void for_each_instruction(Program& p, const DeviceList& devices, F&& f) {
  for (size_t fn = 0; fn < p.functions.size(); ++fn)
    for (size_t d = 0; d < p.functions[fn].devices.size(); ++d)
      for (int32_t q = 0; q < kQueues; ++q)
        for (bool apply : {false, true}) {
          Sequence& s = p.functions[fn].devices[d].queues[q];
          List& list = apply ? s.apply : s.compute;
          for (size_t i = 0; i < list.size(); ++i)
            f(MutationSite{fn, d, q, apply, i, 0}, At{p, p.functions[fn], p.functions[fn].devices[d],
                                                      static_cast<int32_t>(d), *devices[d], list, i});
        }
}

// Finds the instructions that produce the wrong value, and the instructions that read it, directly or after a
// transfer.
void find_instructions_that_show(Mutant& mutant, const MutationSite& site, const DeviceList& devices,
                                 mutations::Effect& effect) {
  const Function& f = mutant.program.functions[site.function];
  const List& apply = f.devices[site.device].queues[site.queue].apply;
  for_each_instruction(mutant.program, devices, [&](const MutationSite& other, const At& reader) {
    if (other.function != site.function) return;
    const Instruction& r = reader.instruction();
    const bool same_queue = other.device == site.device && other.queue == site.queue;
    if (const auto* start = r.as<StartAllReduce>())
      for (BufferId b : r.pieces())
        if (lies_in(f, b, effect.touched)) effect.started.insert(start->collective);
    if (const auto* send = r.as<Send>())
      for (BufferId b : r.operands())
        if (lies_in(f, b, effect.touched)) effect.sent.insert(send->channel);
    bool shows =
        same_queue && other.apply == site.apply &&
        ((other.instruction >= site.instruction && other.instruction < site.instruction + effect.changed) ||
         effect.others.contains(other.instruction));
    shows |= same_queue && effect.moved_to_apply && other.apply && other.instruction + 1 == apply.size();
    for (BufferId b : r.operands()) shows |= lies_in(f, b, effect.touched);
    for (BufferId b : r.results()) shows |= effect.variables_change && lies_in(f, b, effect.touched);
    if (shows) mutant.shows.push_back(other);
  });
  for_each_instruction(mutant.program, devices, [&](const MutationSite& other, const At& reader) {
    const auto* sum = reader.instruction().as<AwaitAllReduce>();
    const auto* receive = reader.instruction().as<Receive>();
    if (other.function != site.function) return;
    if ((sum && effect.started.contains(sum->collective)) ||
        (receive && effect.sent.contains(receive->channel)))
      mutant.shows.push_back(other);
  });
}

}  // namespace

std::vector<MutationSite> mutation_sites(const Program& program, Mutation mutation,
                                         const DeviceList& devices) {
  std::vector<MutationSite> sites;
  Program copy = program;
  for_each_instruction(copy, devices, [&](MutationSite site, const At& at) {
    const size_t n = kind_of(mutation).ways(at);
    for (site.choice = 0; static_cast<size_t>(site.choice) < n; ++site.choice) sites.push_back(site);
  });
  return sites;
}

Mutant mutate(Program program, Mutation mutation, const MutationSite& site, const DeviceList& devices) {
  Mutant mutant{std::move(program), "", "", "", {}, {}, {}};
  Function& f = mutant.program.functions[site.function];
  DevicePlan& plan = f.devices[site.device];
  Sequence& s = plan.queues[site.queue];
  List& list = site.apply ? s.apply : s.compute;
  const At at{mutant.program,  f, plan, static_cast<int32_t>(site.device), *devices[site.device], list,
              site.instruction};
  const Instruction before = at.instruction();
  mutant.device = plan.device;
  mutant.description = std::string(name_of(mutation)) + " at '" + before.op() + "'" +
                       (before.layer().empty() ? "" : " of " + before.layer()) + " on " + plan.device + " (" +
                       f.name + (site.apply ? ", apply" : "") + ", instruction " +
                       std::to_string(site.instruction) + ", choice " + std::to_string(site.choice) + ")";
  mutations::Effect effect;
  effect.touched.insert(before.results().begin(), before.results().end());
  effect.touched.insert(before.pieces().begin(), before.pieces().end());
  if (before.is<StartAllReduce>()) effect.started.insert(before.as<StartAllReduce>()->collective);
  kind_of(mutation).make(at, static_cast<size_t>(site.choice), effect);
  mutant.op = site.instruction < list.size() && mutation == Mutation::kWrongKernel
                  ? list[site.instruction].op()
                  : before.op();
  if (const auto* c = before.as<WriteOutput>())
    mutant.results.push_back("output " + f.outputs[c->output].name);
  for (BufferId b : before.results())
    if (effect.seen_in_variables && f.buffers[b].storage == Storage::kVariable)
      mutant.results.push_back("variable @" + mutant.program.variables[f.buffers[b].variable].name);
  mutant.buffers.assign(effect.touched.begin(), effect.touched.end());
  for (size_t n = 0; n < effect.changed && site.instruction + n < list.size(); ++n) {
    const auto read = list[site.instruction + n].operands();
    mutant.buffers.insert(mutant.buffers.end(), read.begin(), read.end());
  }
  for (size_t n = mutant.buffers.size(); n-- > 0;)
    mutant.buffers.push_back(mutations::root(f, mutant.buffers[n]));
  find_instructions_that_show(mutant, site, devices, effect);
  return mutant;
}

bool names(const Difference& d, const Mutant& mutant) {
  if (d.instruction == kNone)
    return std::find(mutant.results.begin(), mutant.results.end(), d.op) != mutant.results.end();
  return std::any_of(mutant.shows.begin(), mutant.shows.end(), [&](const MutationSite& s) {
    const Function& f = mutant.program.functions[s.function];
    return d.function == f.name && d.device == f.devices[s.device].device &&
           static_cast<int32_t>(d.queue) == s.queue && d.apply == s.apply &&
           d.instruction == static_cast<int32_t>(s.instruction);
  });
}

bool names(const std::string& refusal, const Mutant& mutant) {
  const auto has = [&](const std::string& text) { return refusal.find(text) != std::string::npos; };
  return has(mutant.device) && ((!mutant.op.empty() && has("'" + mutant.op + "'")) ||
                                std::any_of(mutant.buffers.begin(), mutant.buffers.end(), [&](BufferId b) {
                                  return has("buffer " + std::to_string(b.value) + " ") ||
                                         has("buffer " + std::to_string(b.value) + ",");
                                }));
}

}  // namespace cutset
