// SPDX-License-Identifier: Apache-2.0
// Lists of the instructions and the buffers of a function, from which a change of the fuzzer chooses.
#pragma once
#include <vector>

#include "runtime/program/program.h"
#include "tests/fuzz/mutate_values.h"

namespace cutset::fuzz {

struct Parts {
  explicit Parts(Function& f) {
    for (DevicePlan& d : f.devices)
      for (Sequence& s : d.queues)
        for (auto* l : {&s.compute, &s.apply}) {
          lists.push_back(l);
          add(*l);
        }
    for (Role& role : f.roles) {
      lists.push_back(&role.body);
      add(role.body);
      buffers.push_back(&role.buffers);
    }
    if (!f.buffers.empty()) buffers.push_back(&f.buffers);
    std::erase_if(buffers, [](const List<Buffer>* l) { return l->empty(); });
  }
  void add(List<Instruction>& list) {
    for (Instruction& i : list) {
      (i.is<RunKernel>() ? kernels : others).push_back(&i);
      all.push_back(&i);
    }
  }
  List<List<Instruction>*> lists;
  List<Instruction*> all, kernels, others;
  List<List<Buffer>*> buffers;  // the lists of the function and of its roles
};

}  // namespace cutset::fuzz
