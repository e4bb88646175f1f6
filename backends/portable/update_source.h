// SPDX-License-Identifier: Apache-2.0
// The source of the kernels of optimizers. Each operation is rounded on its own, as in the reference kernel,
// so that the copies of a variable on devices of different kinds stay bitwise equal.
#pragma once
#include <initializer_list>
#include <string>

namespace cutset::portable {

// Returns the source of a kernel `name`. There is one work-item i per element of a variable, and each runs
// `body`. `operands` and `results` are tensors of floats, which `body` reads and writes by these names; they
// are the first parameters of the kernel, in this order. A scalar is read as *name. `numbers` are parameters
// that follow the tensors, such as "int size, ". The last parameter, n, is the number of work-items.
inline std::string update_source(const char* name, std::initializer_list<const char*> operands,
                                 std::initializer_list<const char*> results, const std::string& body,
                                 const std::string& numbers = "") {
  std::string parameters, bindings;
  const auto add = [&](const std::string& type, const char* tensor) {
    parameters += "TENSOR(" + type + ", " + tensor + "), ";
    bindings += "  BIND(" + type + ", " + tensor + ");\n";
  };
  for (const char* o : operands) add("const float", o);
  for (const char* r : results) add("float", r);
  return std::string("KERNEL(") + name + ")(" + parameters + numbers + "int n) {\n" + bindings +
         "  int i = ITEM;\n  if (i >= n) return;\n" + body + "}\n";
}

}  // namespace cutset::portable
