// SPDX-License-Identifier: Apache-2.0
#include "passes/emit/emit_role.h"

#include <set>

#include "passes/emit/constants.h"
#include "passes/emit/in_place.h"
#include "passes/passes.h"
#include "passes/support/placement/value_origin.h"

using namespace mlir;

namespace cutset::passes {

Status RoleEmitter::emit_inline(ir::CallOp call) {
  auto role = code_.names.roles.lookup<func::FuncOp>(call.getRoleAttr().getAttr());
  for (auto [argument, value] : llvm::zip(role.getArguments(), call.getArguments()))
    code_.buffer_of[argument] = code_.buffer_of.lookup(value);
  const Updates updated = updates_of(role);
  std::vector<std::pair<BufferId, BufferId>> copies;
  for (Operation& o : role.getBody().front().without_terminator()) {
    if (auto assign = dyn_cast<ir::AssignOp>(o)) {
      if (updated.contains(assign.getValue())) continue;
      CUTSET_ASSIGN(const VariableId variable, code_.names.find_variable(assign.getVariable()));
      const BufferId from = code_.buffer_of.lookup(assign.getValue());
      copies.emplace_back(from, code_.new_buffer_of(code_.function.buffers[from].type, variable));
    } else {
      CUTSET_TRY(emit_op(&o, updated));
    }
  }
  emit_copies(std::move(copies));
  for (auto [result, value] :
       llvm::zip(call.getValues(), role.getBody().front().getTerminator()->getOperands()))
    code_.buffer_of[result] = code_.buffer_of.lookup(value);
  return {};
}

// Does not update a variable in place if an argument from an earlier role may be a view of its memory.
RoleEmitter::Updates RoleEmitter::updates_of(func::FuncOp role) const {
  std::set<VariableId> viewed;
  for (Value argument : role.getArguments())
    if (const VariableId v = code_.variable_in(code_.buffer_of.lookup(argument)); v.is_set())
      viewed.insert(v);
  Updates updated;
  for (auto [value, name] : updates_in_place(role))
    if (auto variable = code_.names.find_variable(name.getValue()); variable && !viewed.contains(*variable))
      updated[value] = *variable;
  return updated;
}

void RoleEmitter::emit_copies(std::vector<std::pair<BufferId, BufferId>> copies) {
  for (auto& [from, to] : copies) {
    if (copies.size() == 1 || !code_.variable_in(from).is_set()) continue;
    const BufferId old_value = code_.memory.new_buffer(code_.function.buffers[from].type, Storage::kArena);
    code_.copy(from, old_value);
    from = old_value;
  }
  for (auto [from, to] : copies) code_.copy(from, to);
}

Result<Role> RoleEmitter::emit_alone(func::FuncOp function, ir::CallOp call) {
  Role role{.name = function.getName().str(), .device = code_.device};
  std::vector<BufferId> arguments, returned;
  for (BlockArgument argument : function.getArguments()) {
    const BufferId b = code_.memory.new_buffer(*ir::tensor_type(argument.getType()), Storage::kParameter);
    code_.buffer_of[argument] = b;
    arguments.push_back(b);
  }
  for (Operation& o : function.getBody().front().without_terminator()) CUTSET_TRY(emit_op(&o, Updates()));
  for (Value value : function.getBody().front().getTerminator()->getOperands())
    returned.push_back(parameter_with(value));
  const auto group = [&](const std::vector<BufferId>& list, TypeRange types) {
    for (auto next = list.begin(); Type type : types) {
      const auto end = next + ir::number_of_elements(type);
      role.parameters.emplace_back(std::exchange(next, end), end);
    }
  };
  group(arguments, call.getArguments().getTypes());
  group(returned, call.getValues().getTypes());
  code_.pack(nullptr);
  role.buffers = std::move(code_.function.buffers);
  role.body = std::move(code_.plan.queues[static_cast<int>(Queue::kCompute)].compute);
  return role;
}

BufferId RoleEmitter::parameter_with(Value returned) {
  auto& buffers = code_.function.buffers;
  const BufferId b = code_.buffer_of.lookup(returned);
  if (buffers[b].storage == Storage::kArena && code_.memory.root(b) == b) {
    buffers[b].storage = Storage::kParameter;
    for (BufferId view : code_.memory.views_of(b)) buffers[view].storage = Storage::kParameter;
    return b;
  }
  // The value is copied to a new parameter if it is an argument, a view, a constant or a variable, or is
  // returned twice.
  const BufferId result = code_.memory.new_buffer(*ir::tensor_type(returned.getType()), Storage::kParameter);
  buffers[result].origin = buffers[b].origin;
  code_.copy(b, result);
  return result;
}

void RoleEmitter::define(Value value, BufferId buffer) {
  code_.function.buffers[buffer].origin =
      origin_of(value.getDefiningOp(), cast<OpResult>(value).getResultNumber());
  code_.buffer_of[value] = buffer;
}

Status RoleEmitter::emit_op(Operation* o, const Updates& updated) {
  if (auto read = dyn_cast<ir::ReadOp>(o)) {
    CUTSET_ASSIGN(const VariableId variable, code_.names.find_variable(read.getVariable()));
    define(read.getValue(), code_.new_buffer_of(*ir::tensor_type(read.getValue().getType()), variable));
    return {};
  }
  if (isa<ir::TypeOnlyOp>(o)) {
    code_.buffer_of[o->getResult(0)] =
        code_.memory.new_buffer(*ir::tensor_type(o->getResult(0).getType()), Storage::kTypeOnly);
    return {};
  }
  if (auto constant = dyn_cast<ir::ConstantOp>(o)) {
    CUTSET_ASSIGN(Constant c, constant_of(constant, code_.device));
    const BufferId b = code_.memory.new_buffer(c.type, Storage::kConstant);
    code_.function.buffers[b].constant = code_.program.constants.next();
    define(constant, b);
    code_.program.constants.push_back(std::move(c));
    return {};
  }
  auto rules = dyn_cast<ir::CutsetOpInterface>(o);
  if (!rules)
    return execution_failed("there is no instruction for the op '" + o->getName().getStringRef().str() + "'");
  if (!rules.op_info().view) return emit_kernel(o, updated);
  define(o->getResult(0), code_.memory.new_view(code_.buffer_of.lookup(o->getOperand(0)),
                                                *ir::tensor_type(o->getResult(0).getType())));
  return {};
}

Status RoleEmitter::emit_kernel(Operation* o, const Updates& updated) {
  DeviceMemory& memory = code_.memory;
  const OpInfo& info = cast<ir::CutsetOpInterface>(o).op_info();
  auto name = o->getAttrOfType<StringAttr>(kKernel);
  const cutset_kernel* kernel = name ? code_.description.find_kernel(name.str()) : nullptr;
  if (!kernel)
    return execution_failed("op '" + std::string(info.name) + "' has no kernel: it was not lowered");
  memory.advance();
  RunKernel command{.kernel = name.str(), .attributes = ir::attributes_of(o)};
  const Types out = ir::tensor_types(o->getResults());
  for (Value v : o->getOperands()) {
    const BufferId b = code_.buffer_of.lookup(v);
    command.operands.push_back(b);
    if (code_.function.buffers[b].storage != Storage::kTypeOnly) memory.use(b);
  }
  for (auto [r, value] : llvm::enumerate(o->getResults())) {
    auto in_place = updated.find(value);
    const BufferId b = in_place == updated.end() ? memory.new_buffer(out[r], Storage::kArena)
                                                 : code_.new_buffer_of(out[r], in_place->second);
    define(value, b);
    command.results.push_back(b);
    memory.use(b);
  }
  for (BufferId b : command.results) memory.owned(b).computed = true;
  add_finite_check(o, command);
  code_.append(Queue::kCompute, code_.make.make(std::move(command), o));
  return {};
}

void RoleEmitter::add_finite_check(Operation* o, const RunKernel& command) {
  auto names = o->getAttrOfType<ArrayAttr>(kFinite);
  if (!names) return;
  code_.memory.owned(command.results[0]).until_end = true;
  FiniteCheck check{code_.device, command.results[0], {}};
  for (auto [b, name] : llvm::zip(command.operands, names.getAsValueRange<StringAttr>()))
    check.tensors.push_back({b, name.str()});
  code_.function.checks.push_back(std::move(check));
}

}  // namespace cutset::passes
