// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/session/batch_tensors.h"

#include "ir/core/names.h"
#include "runtime/files/host_tensor.h"
#include "runtime/files/widen.h"

namespace cutset {

Result<BatchTensors> BatchTensors::of(const Function& function, const Batch& batch, const InputNames& known) {
  BatchTensors read;
  read.wide_.reserve(function.inputs.size());
  read.tensors_.reserve(function.inputs.size());
  for (const Port& port : function.inputs) {
    if (port.feed != Feed::kCaller) continue;
    auto it = batch.find(port.name);
    if (it == batch.end())
      return invalid_argument("the batch has no '" + port.name + "', an input of '" + function.name + "'",
                              "add it to the batch; its type is " + to_string(port.type));
    const bool widen = port.type.dtype == DType::f64 && it->second.type().dtype == DType::f32;
    read.tensors_.push_back(widen ? &read.wide_.emplace_back(widened_to_f64(it->second)) : &it->second);
  }
  for (const auto& [name, tensor] : batch) {
    if (known.contains(name)) continue;
    const std::vector<std::string> have(known.begin(), known.end());
    return invalid_argument("the batch has '" + name + "', which is not an input of the graph",
                            have.empty() ? "it has none" : "it has: " + list_and_nearest(name, have));
  }
  return read;
}

std::vector<Shape> BatchTensors::shapes() const {
  std::vector<Shape> list;
  list.reserve(tensors_.size());
  for (const HostTensor* t : tensors_) list.push_back(t->type().shape);
  return list;
}

InputNames input_names(const Program& program) {
  InputNames names;
  for (const Function& f : program.functions)
    for (const Port& p : f.inputs)
      if (p.feed == Feed::kCaller) names.insert(p.name);
  return names;
}

Result<const Function*> find_function(const Program& program, const std::string& name) {
  if (const Function* f = program.find(name)) return f;
  std::vector<std::string> have;
  for (const Function& other : program.functions) have.push_back(other.name);
  std::string meant = and_nearest(name, have);
  if (meant.empty())
    meant = name == "train" ? "; Graph::minimize makes 'train'"
                            : "; a function that is added to the graph after compile() is not in the program";
  return invalid_argument("the program has no function '" + name + "'",
                          "it has: " + plain_list(have) + meant);
}

}  // namespace cutset
