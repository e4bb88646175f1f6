# SPDX-License-Identifier: Apache-2.0
"""Writes the C++ functions that append the ops: <cutset/ops.h> and its source.

An op with attributes has a function that takes them by position, with their defaults, and a function that
takes them by name, in a struct. An op with optional operands also has a function by name without these
operands. Functions with a struct are templates. Overload resolution prefers a function that is not a
template, so the braces in `reshape(x, {})` are a shape and not a struct."""
import textwrap

from declarations import camel

SOURCE = "std::source_location source"
HERE = SOURCE + " = std::source_location::current()"
# The names that functions of an op library, in its namespace, use for the types of parameters.
HEADER_NAMES = ("AxisSizes", "DType", "RealNumber", "Tensor", "TensorOrNumber", "WholeNumber")


def wrap(text, first, others):
    return textwrap.wrap(text, width=110, initial_indent=first, subsequent_indent=others,
                         break_long_words=False,
                         break_on_hyphens=False)


def docstring(op):
    """Returns the comment above the function of an op: the summary, the result and the constraints."""
    lines = wrap(op.summary + ".", "// ", "// ")
    lines += wrap("Result: " + op.returns + ".", "// ", "//     ") if op.returns else []
    for constraint in op.constraints:
        lines += wrap(constraint + ".", "// ", "//     ")
    return lines


def function(start, parameters, end=";"):
    """Returns the head of a function. It is broken only between its parameters."""
    whole = start.replace(" ", "\0") + "(" + ", ".join(p.replace(" ", "\0") for p in parameters) + ")" + end
    return [line.replace("\0", " ") for line in wrap(whole, "", "    ")]


def without_default(parameter):
    return parameter.split(" = ")[0]


def operand_parameters(op):
    """Returns the parameters of the operands. The last parameters may have defaults."""
    parameters = []
    for i, operand in enumerate(op.operands):
        last = all(later in op.optional for later in op.operands[i:])
        kind = "TensorOrNumber" if op.takes_numbers(i) else "Tensor"
        kind = "std::vector<Tensor>" if operand in op.variadic else kind
        parameters.append(f"const {kind}& {operand}" + (" = {}" if last else ""))
    return parameters


def enums(ops):
    """Returns the enums of the words of the attributes, and the functions that return the words."""
    header, source, done = [], [], set()
    for op in ops:
        for a in (a for a in op.given if a.words and a.cpp_type not in done):
            done.add(a.cpp_type)
            words = ", ".join("k" + camel(w) for w in a.words)
            header.append(f"\n// The values of the attribute {a.name} of {op.family}.\n"
                          f"enum class {a.cpp_type} {{ {words} }};")
            # `pack` refuses the empty word, which stands for another number.
            cases = "".join(f'    case {a.enumerator(w)}:\n      return "{w}";\n' for w in a.words)
            source.append(f"static std::string word_of({a.cpp_type} v) {{\n"
                          f"  switch (v) {{\n{cases}  }}\n  return {{}};\n}}")
    return header, source


def by_name(op, returns, operands):
    """Returns the struct of the attributes, and the functions that take it."""
    options = camel(op.name) + "Options"
    members = "\n".join("  " + a.member() for a in op.attributes if a in op.given)
    members = members.replace("= {{", "= {").replace("}};", "};")
    lines = [f"\n// The attributes of {op.name} by name.\nstruct {options} {{\n{members}\n}};"]
    required = [p for p in operands if " = " not in p]
    for some in [operands] if len(required) == len(operands) else [operands, required]:
        arguments = [o if i < len(some) else "{}" for i, o in enumerate(op.operands)]
        arguments += [f"options.{a.name}" for a in op.given]
        left_out = [f"`{o}`" for o in op.operands[len(some):]]
        lines += wrap(f"The same without {' and '.join(left_out)}.", "// ", "// ") if left_out else []
        parameters = [without_default(p) for p in some] + ["const std::type_identity_t<Options>& options",
                                                           HERE]
        lines += [f"template <class Options = {options}>"] + function(f"{returns} {op.name}", parameters,
                                                                      " {")
        lines += wrap(f"return {op.name}({', '.join(arguments + ['source'])});", "  ", "      ") + ["}"]
    return lines


def appending(op):
    """Returns the body of the function that appends the op."""
    if op.numbers_from is not None:
        before, alike = op.operands[:op.numbers_from], op.operands[op.numbers_from:]
        call = f'append_beside_numbers("{op.name}", {{{", ".join(before)}}}, {{{", ".join(alike)}}}, source)'
    else:
        lists = [o if o in op.variadic else f"{{{o}}}" for o in op.operands]
        given = [a.given(op.operands[0]) for a in op.given]
        call = f'append("{op.name}", {{{", ".join(lists)}}}, {{{", ".join(given)}}}, source)'
    if op.variadic_results:
        return f"  return {call};"
    if len(op.results) == 1:
        return f"  return {call}[0];"
    return f"  auto r = {call};\n  return {{" + ", ".join(f"r[{i}]" for i in range(len(op.results))) + "};"


def functions(op):
    """Returns the lines of the header and of the source for one op."""
    header, source = [], []
    returns = "std::vector<Tensor>" if op.variadic_results else \
        "Tensor" if len(op.results) == 1 else f"std::array<Tensor, {len(op.results)}>"
    operands = operand_parameters(op)
    parameters = operands + [a.parameter() for a in op.given]
    # A parameter without a default may not follow one with a default.
    first = max([i + 1 for i, p in enumerate(parameters) if " = " not in p], default=0)
    parameters = [without_default(p) if i < first else p for i, p in enumerate(parameters)]
    header += [""] + docstring(op) + function(f"{returns} {op.name}", parameters + [HERE])
    if op.given:
        header += by_name(op, returns, operands)
    plain = [without_default(p) for p in parameters]
    source.append(f"{returns} {op.name}({', '.join(plain + [SOURCE])}) {{\n{appending(op)}\n}}")
    return header, source


def builders(ops, include):
    """Returns the header and the source of the functions of these ops."""
    header = wrap("Generated: the functions that append one op each. A function appends its op to the graph "
                  "of "
                  "its operands and returns the result, whose type is inferred at once. Attributes are given "
                  "by "
                  "position or by name: softmax(x, 1), or softmax(x, {.axis = 1}). The comment of a function "
                  "says "
                  "what the op computes, the shape and element type of the result, and the constraints of "
                  "the op, "
                  "which are numbered C1, C2 and so on. If the operands or attributes violate a constraint, "
                  "the "
                  "function throws a cutset::Error that names the constraint and the line of the call.",
                  "// ", "// ")
    header += ["#pragma once", "#include <array>", "#include <source_location>", "#include <string>",
               "#include <type_traits>", "#include <vector>", "", "#include <cutset/arguments.h>",
               "#include <cutset/tensor.h>"]
    source = [f"// Generated: the functions of <{include}>.", f"#include <{include}>", "",
              '#include "frontends/cpp/graph/append.h"']
    namespace = None
    ops = sorted((op for op in ops if op.namespace), key=lambda op: (op.namespace, op.name))
    for op in ops:
        if op.namespace != namespace:
            for text in (header, source):
                text += [f"}}  // namespace {namespace}"] * bool(namespace) + ["",
                        f"namespace {op.namespace} {{"]
            if op.namespace.split("::")[0] != "cutset":
                header += [f"using cutset::{name};" for name in HEADER_NAMES]
                source += [f"using cutset::{name};" for name in ("append", "append_beside_numbers")]
            if namespace is None:
                for text, lines in zip((header, source), enums(ops)):
                    text += lines
            if op.namespace == "cutset::ops":
                header.append("// The ops that gradients and passes make, and those that other functions are "
                              "composed of.\n")
            namespace = op.namespace
        for text, lines in zip((header, source), functions(op)):
            text += lines
    end = [f"}}  // namespace {namespace}", ""]
    return "\n".join(header + end), "\n".join(source + end)
