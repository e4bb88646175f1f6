// The elementwise kernels. Their sources are generated from the scalar expressions of the ops: one source for each combination of
// an op, a group of element types, and the number of dimensions in which the operands are read.
#include "backends/portable/gather.h"
#include "backends/portable/halves.h"
#include "backends/portable/type_group.h"
#include "ir/ops/elementwise/elementwise_bodies.h"

namespace cutset::portable {
namespace {

const ElementwiseBody* body_of(std::string_view op) {
  for (const ElementwiseBody& b : elementwise_bodies())
    if (op == b.op) return &b;
  return nullptr;
}
// Whether an op moves elements of its last two operands and does not compute with them.
bool selects(const ElementwiseBody& body) { return body.arity == 3; }

// The helpers that an expression calls, for operands of one type. A helper calls earlier helpers only.
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

// The kernel for one element type, after the helpers that it calls. A kernel of a comparison has a result of type i1.
std::string kernel(const ElementwiseBody& body, DType type, bool compares, bool flat) {
  std::string text, undefine, parameters, loads;
  for (const ElementwiseHelper* h : helpers_of(body.expression, type)) {  // a function of its own for each type
    text += std::string("#define ") + h->name + " " + kernel_name(h->name, type) + "\nFUNCTION T " + h->name +
            "(T a, T b) { " + h->statements + " }\n";
    undefine += std::string("#undef ") + h->name + "\n";
  }
  for (int i = 0; i < body.arity; ++i) {
    const DType operand = selects(body) && i == 0 ? DType::i1 : type;
    const std::string name(1, static_cast<char>('a' + i)),
        stored = stored_type(operand),
        element = "p" + name + "[" + (flat ? "k" : "offset_of(k, shape, s" + name + ")") + "]";
    parameters += "TENSOR(const " + stored + ", p" + name + "), int8 s" + name + ", ";
    loads += "  BIND(const " + stored + ", p" + name + ");\n  " + value_type(operand) + " " + name + " = " +
             loaded(operand, element) + ";\n";
  }
  const DType result = compares ? DType::i1 : type;
  const std::string to = stored_type(result);
  return std::string("#define T ") + value_type(type) + "\n" + text + "KERNEL(" + kernel_name(body.op, type) + ")(" +
         parameters + "TENSOR(" + to + ", y), int8 shape, int n) {\n  int k = ITEM;\n  if (k >= n) return;\n" + loads +
         "  BIND(" + to + ", y);\n  y[k] = " + stored(result, body.expression) + ";\n}\n#undef T\n" + undefine;
}

struct Elementwise {
  static std::string supports(const abi::Problem& p) { return check_stored_types(p); }

  static void build(Launches& list, const abi::Problem& p) {
    const ElementwiseBody& body = *body_of(p.raw->op);
    std::vector<Strides> operands;
    for (size_t i = 0; i < p.inputs(); ++i) operands.push_back(broadcast_strides(p.in_shape(i), p.out_shape(0)));
    const StridedLoop loop = strided_loop(p.out_shape(0), operands);
    const int64_t n = elements(p.out_shape(0));
    const DType first = p.in_type(0), type = selects(body) ? moved_type(size_of(p.out_type(0))) : first;
    const bool compares = p.out_type(0) != first && !selects(body);

    const auto types = selects(body) ? moved_types() : type_group(type);
    std::string text = half_functions(types) + (loop.flat() ? "" : offset_function(loop.rank));
    for (DType t : types) text += kernel(body, t, compares, loop.flat());

    std::vector<Argument> arguments;
    for (size_t i = 0; i < p.inputs(); ++i) {
      arguments.push_back(in(i));
      arguments.push_back(eight(loop.strides[i].at, loop.rank, 0));
    }
    arguments.insert(arguments.end(), {out(0), eight(loop.sizes, loop.rank, 1), n});
    list.add_flat(text, kernel_name(body.op, type), n, arguments);
  }
};

}  // namespace

void register_elementwise(abi::KernelTable& kernels) {
  for (const ElementwiseBody& b : elementwise_bodies()) add_kernel<Elementwise>(kernels, b.op);
}

}  // namespace cutset::portable
