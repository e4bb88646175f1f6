// SPDX-License-Identifier: Apache-2.0
// The elementwise kernels. Their sources are generated from the scalar expressions of the ops. There is one
// source for each combination of an op, a type group and the number of dimensions of the loop (StridedLoop).
#include "backends/portable/halves.h"
#include "backends/portable/strided_loop.h"
#include "backends/portable/typed_kernels.h"
#include "ir/ops/elementwise/elementwise_bodies.h"

namespace cutset::portable {
namespace {

const ElementwiseBody* body_of(std::string_view op) {
  for (const ElementwiseBody& b : elementwise_bodies())
    if (op == b.op) return &b;
  return nullptr;
}

// Returns the helpers that an expression calls, for operands of one type. A helper calls earlier helpers
// only.
std::vector<const ElementwiseHelper*> helpers_of(const std::string& expression, DType type) {
  std::string calls = expression;
  std::vector<const ElementwiseHelper*> list;
  const auto all = elementwise_helpers();
  for (auto h = all.rbegin(); h != all.rend(); ++h) {
    if (!includes(h->types, type) || calls.find(std::string(h->name) + "(") == std::string::npos) continue;
    calls += h->statements;
    list.insert(list.begin(), &*h);
  }
  return list;
}

// Whether the op is `where`, which moves elements and does not compute with them.
bool moves(const ElementwiseBody& body) { return std::string_view(body.op) == "where"; }

// Returns the helpers that an op calls, followed by the source of its kernel. If `contiguous`, element k of
// the result depends only on element k of each operand. T is the type of the operands, and STORED is their
// type in memory. The first operand of `where` is a condition, which has the type i1.
std::string source_of(const ElementwiseBody& body, const std::vector<const ElementwiseHelper*>& helpers,
                      bool contiguous) {
  std::string text, parameters, loads;
  for (const ElementwiseHelper* h : helpers)
    text += std::string("FUNCTION T ") + h->name + "(T a, T b) { " + h->statements + " }\n";
  for (int i = 0; i < body.arity; ++i) {
    const bool condition = moves(body) && i == 0;
    const std::string name(1, static_cast<char>('a' + i)),
        in_memory = condition ? c_type(DType::i1) : "STORED",
        element = "p" + name + "[" + (contiguous ? "k" : "offset_of(k, shape, s" + name + ")") + "]";
    parameters += "TENSOR(const " + in_memory + ", p" + name + "), int8 s" + name + ", ";
    loads += "  BIND(const " + in_memory + ", p" + name + ");\n  " + (condition ? in_memory : "T") + " " +
             name + " = " + (condition ? element : "LOAD(" + element + ")") + ";\n";
  }
  return text + "KERNEL(" + body.op + ")(" + parameters + "TENSOR(RESULT, y), int8 shape, int n) {\n" +
         "  int k = ITEM;\n  if (k >= n) return;\n" + loads + "  BIND(RESULT, y);\n  y[k] = STORE(" +
         body.expression + ");\n}\n";
}

struct Elementwise {
  static std::string supports(const abi::Problem& p) { return check_stored_types(p); }

  static TypedKernel kernel(const ElementwiseBody& body, const abi::Problem& p, bool contiguous) {
    const DType type = p.in_type(0), result = p.out_type(0);
    const auto helpers = helpers_of(body.expression, type);
    const std::string source = source_of(body, helpers, contiguous);
    if (moves(body)) {
      TypedKernel moving = moving_kernel(body.op, size_of(result), source);
      moving.source = definitions({{"STORED", "T"}, {"RESULT", "T"}, {"LOAD(v)", "v"}, {"STORE(v)", "v"}}) +
                      moving.source;
      return moving;
    }
    const auto macros = [&](DType t) {
      const DType to = result == type ? t : result;  // i1 if the op compares
      Macros all = {{"T", value_type(t)},
                    {"STORED", stored_type(t)},
                    {"LOAD(v)", loaded(t, "v")},
                    {"RESULT", stored_type(to)},
                    {"STORE(v)", stored(to, "(v)")}};
      for (const ElementwiseHelper* h : helpers) all.emplace_back(h->name, kernel_name(h->name, t));
      return all;
    };
    TypedKernel computing = typed_kernel(body.op, type, macros, source);
    computing.source = half_functions(type_group(type)) + computing.source;
    return computing;
  }

  static void build(Launches& list, const abi::Problem& p) {
    const auto shape = p.out_shape(0);
    std::vector<Strides> strides;
    for (size_t i = 0; i < p.inputs(); ++i) strides.push_back(broadcast_strides(p.in_shape(i), shape));
    const StridedLoop loop = strided_loop(shape, strides);
    std::vector<Argument> arguments;
    for (size_t i = 0; i < p.inputs(); ++i) {
      arguments.push_back(in(i));
      arguments.push_back(eight(loop.strides[i].at, loop.rank, 0));
    }
    const int64_t n = elements(shape);
    arguments.insert(arguments.end(), {out(0), eight(loop.sizes, loop.rank, 1), n});
    const TypedKernel typed = kernel(*body_of(p.raw->op), p, loop.is_contiguous());
    list.add_flat((loop.is_contiguous() ? "" : offset_function(loop.rank)) + typed.source, typed.name, n,
                  arguments);
  }
};

}  // namespace

void register_elementwise(abi::KernelTable& kernels) {
  for (const ElementwiseBody& b : elementwise_bodies()) add_kernel<Elementwise>(kernels, b.op);
}

}  // namespace cutset::portable
