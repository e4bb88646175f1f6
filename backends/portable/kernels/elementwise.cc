// The elementwise kernels. Their source is generated from the scalar expressions of the ops: one source for each
// combination of an op, its element types, and shapes that are equal or are broadcast.
#include "backends/portable/gather.h"
#include "backends/portable/halves.h"
#include "ir/ops/elementwise/elementwise_bodies.h"

namespace cutset::portable {
namespace {

const ElementwiseBody* body_of(std::string_view op) {
  for (const ElementwiseBody& b : elementwise_bodies())
    if (op == b.op) return &b;
  return nullptr;
}

// The helpers that an expression calls, as functions for the operands' type. A helper calls earlier helpers only.
std::string helpers_of(const std::string& expression, DType type) {
  std::string calls = expression, text;
  const auto all = elementwise_helpers();
  for (auto h = all.rbegin(); h != all.rend(); ++h) {
    if (!includes(h->types, type) || calls.find(std::string(h->name) + "(") == std::string::npos) continue;
    calls += h->statements;
    text = std::string("FUNCTION T ") + h->name + "(T a, T b) { " + h->statements + " }\n" + text;
  }
  return text.empty() ? "" : std::string("#define T ") + value_type(type) + "\n" + text;
}

struct Elementwise {
  static std::string supports(const abi::Problem& p) { return check_stored_types(p); }

  // The source of the kernel. If `flat`, all shapes are equal, so element i of the result depends on element i of each
  // operand.
  static std::string source(const abi::Problem& p, const ElementwiseBody& body, bool flat) {
    std::string text = "KERNEL(elementwise)(", loads;
    const char* names[] = {"a", "b", "c"};
    const bool selects = body.arity == 3;  // and does not compute, so that it moves the bits of the elements
    for (int i = 0; i < body.arity; ++i) {
      const DType dtype = p.in_type(static_cast<size_t>(i));
      const std::string name = names[i], type = stored_type(dtype),
                        element = "p" + name + "[" + (flat ? "k" : "offset_of(k, shape, s" + name + ")") + "]";
      text += "TENSOR(const " + type + ", p" + name + "), int8 s" + name + ", ";
      loads += "  BIND(const " + type + ", p" + name + ");\n  " + (selects ? type : value_type(dtype)) + " " + name +
               " = " + (selects ? element : loaded(dtype, element)) + ";\n";
    }
    const std::string to = stored_type(p.out_type(0)),
                      result = selects ? body.expression : stored(p.out_type(0), body.expression);
    return half_functions({p.in_type(0)}) + helpers_of(body.expression, p.in_type(0)) +
           (flat ? "" : offset_function(static_cast<int>(p.out_shape(0).size()))) + text + "TENSOR(" + to +
           ", y), int8 shape, int n) {\n  int k = ITEM;\n  if (k >= n) return;\n" + loads + "  BIND(" + to +
           ", y);\n  y[k] = " + result + ";\n}\n";
  }
  static void build(Launches& list, const abi::Problem& p) {
    const ElementwiseBody& body = *body_of(p.raw->op);
    const auto shape = p.out_shape(0);
    const int64_t n = elements(shape);
    const int rank = static_cast<int>(shape.size());
    bool flat = true;
    Argument::Vector strides[3];
    for (size_t i = 0; i < p.inputs(); ++i) {
      flat &= std::equal(shape.begin(), shape.end(), p.in_shape(i).begin(), p.in_shape(i).end());
      strides[i] = eight(broadcast_strides(p.in_shape(i), shape).at, rank, 0);
    }
    const auto sizes = eight(shape.data(), rank, 1);
    const std::string text = source(p, body, flat);
    if (body.arity == 1) list.add_flat(text, "elementwise", n, {in(0), strides[0], out(0), sizes, n});
    if (body.arity == 2)
      list.add_flat(text, "elementwise", n, {in(0), strides[0], in(1), strides[1], out(0), sizes, n});
    if (body.arity == 3)
      list.add_flat(text, "elementwise", n,
                    {in(0), strides[0], in(1), strides[1], in(2), strides[2], out(0), sizes, n});
  }
};

}  // namespace

void register_elementwise(abi::KernelTable& kernels) {
  for (const ElementwiseBody& b : elementwise_bodies()) add_kernel<Elementwise>(kernels, b.op);
}

}  // namespace cutset::portable
