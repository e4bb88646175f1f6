# SPDX-License-Identifier: Apache-2.0
"""Writes the structs of optimizers, which users give to Graph::minimize: their declarations, their
conversions to Optimizer, and their documentation. The records OptimizerStruct of the .td files declare
them (ir/dialect/base.td)."""
import textwrap

COLUMNS = 110


class Member:
    """A member of the struct of an optimizer."""

    def __init__(self, record):
        self.name, self.type, self.default = record["member"], record["type"], record["value"]
        self.least, self.below, self.chosen_op = record["least"], record["below"], record["chosenOp"]
        self.meaning = record["meaning"]
        self.is_number = self.type == "double"
        self.is_operand = False  # whether the member is a hyper-parameter

    def range(self):
        """Returns the range of a number, as words: "from 0 to below 1"."""
        return f"from {self.least} to below {self.below}" if self.below else f"at least {self.least}"

    def comment(self):
        """Returns the comment of the member in the struct."""
        if not self.is_number:
            return self.meaning
        meaning, *more = self.meaning.split("; ")
        more += [] if self.is_operand else ["no hyper-parameter"]
        return "; ".join([f"{meaning}, {self.range()}", *more])

    def bounds(self):
        """Returns the bounds of a hyper-parameter that are not the defaults of Optimizer::Scalar, in C++."""
        return f", {self.least}, {self.below}" if self.below else "" if self.least == "0" \
            else f", {self.least}"

    def refusal(self):
        """Returns the condition under which a number that sets an attribute is accepted, and the text that
        refuses it."""
        condition = f"std::isfinite({self.name}) && {self.name} >= {self.least}" + (
            f" && {self.name} < {self.below}" if self.below else "")
        text = f"at least {self.least}" + (f" and below {self.below}" if self.below else "")
        return condition, f"{self.name} must be finite and {text}"


class OptimizerStruct:
    """A struct of an optimizer, as a .td declares it."""

    def __init__(self, records, name, op):
        record = records[name]
        self.name, self.op, self.option = name, op, record["optionName"]
        self.handwritten = bool(record["handwrittenConversion"])
        self.description = textwrap.dedent(record["description"]).strip("\n").rstrip().splitlines()
        self.members = [Member(records[m["def"]]) for m in record["members"]]
        self.attributes = [text.partition(" = ")[::2] for text in record["attributes"]]
        self.hyper_parameters = op.operands[op.updates + 1:]
        for m in self.members:
            m.is_operand = m.is_number and m.name in self.hyper_parameters
        self.check()

    def check(self):
        """Fails unless each hyper-parameter of the op is a number, and each other member sets an attribute
        or chooses an op."""
        where = f"{self.op.name}: the optimizer '{self.name}'"
        attributes = {a.name: a.cpp_type for a in self.op.attributes}
        if not self.description or not self.op.updates:
            raise SystemExit(f"{where} needs a description, and its op needs updates")
        for m in self.members:
            if not m.is_operand and not m.chosen_op and attributes.get(m.name) != m.type:
                raise SystemExit(f"{where} has a member '{m.name}', but the op has no hyper-parameter and no "
                                 f"attribute of type {m.type} with this name")
        for name in self.hyper_parameters:
            if name not in [m.name for m in self.members]:
                raise SystemExit(f"{where} lacks the hyper-parameter '{name}'")
        for name, _ in self.attributes:
            if attributes.get(name) not in ("bool", "double"):
                raise SystemExit(f"{where} sets '{name}', which is no number and no flag of the op")
        for line in self.declaration():
            if len(line) > COLUMNS:
                raise SystemExit(f"{where} has a line of more than {COLUMNS} columns in C++: {line}")

    def operands(self):
        """Returns the hyper-parameters, in the order of the operands of the op."""
        return sorted((m for m in self.members if m.is_operand),
                      key=lambda m: self.hyper_parameters.index(m.name))

    def declaration(self):
        """Returns the lines of the struct, in C++."""
        members = [f"  {m.type} {m.name} = {m.default};" for m in self.members]
        width = max(map(len, members))
        return ["", *(f"// {line}".rstrip() for line in self.description), f"struct {self.name} {{",
                *(f"{text:{width}}  // {m.comment()}" for text, m in zip(members, self.members)),
                "  // Converts the struct for Graph::minimize.", "  operator Optimizer() const;", "};"]

    def conversion(self):
        """Returns the definition of the conversion to Optimizer, in C++."""
        op = f'"{self.op.name}"'
        for m in self.members:
            op = f'{m.name} ? "{m.chosen_op}" : {op}' if m.chosen_op else op
        set_by_members = [m for m in self.members if not m.is_operand and not m.chosen_op]
        options = [f'{{"{name}", {value}}}' for name, value in self.attributes]
        options += [f'{{"{m.name}", {m.name}}}' for m in set_by_members]
        refusals = [m.refusal() for m in set_by_members if m.is_number]
        refused = "".join(f'!({condition}) ? "{text}" : ' for condition, text in refusals) + '""'
        scalars = ",\n           ".join(f'{{"{m.name}", {m.name}{m.bounds()}}}' for m in self.operands())
        return [f"{self.name}::operator Optimizer() const {{", f"  return {{{op},",
                f"          {{{scalars}}},", f"          {{{', '.join(options)}}},",
                f"          {refused}}};", "}"]


def sorted_structs(ops):
    """Returns the structs of the optimizers among the ops, by name."""
    return sorted((s for op in ops for s in op.optimizers), key=lambda s: s.name.lower())


def optimizer_header(ops):
    """Returns the header <cutset/optimizer_structs.h>."""
    lines = ["// Generated from the .td files of the ops: the optimizers that Graph::minimize takes.",
             "// <cutset/optimizers.h> includes this header and describes what the structs have in common.",
             "#pragma once", "", "namespace cutset {", "", "class Optimizer;"]
    lines += [line for s in sorted_structs(ops) for line in s.declaration()]
    return "\n".join(lines + ["", "}  // namespace cutset", ""])


def library_optimizers(ops, library):
    """Returns what the optimizers of an op library add to its header and to its source. They have no names
    on the command line."""
    structs = sorted_structs(ops)
    if not structs:
        return "", ""
    declared = [line for s in structs for line in s.declaration()]
    defined = [line for s in structs if not s.handwritten for line in s.conversion()]
    start = ["", f"namespace {library} {{", "using cutset::Optimizer;"]
    end = ["", f"}}  // namespace {library}", ""]
    return ("\n".join(["", "#include <cutset/optimizers.h>", *start, *declared, *end]),
            "\n".join(["", "#include <cmath>", *start, "", *defined, *end]))


def optimizer_source(ops):
    """Returns the source of the conversions, and of the names on the command line."""
    structs = sorted_structs(ops)
    lines = ["// Generated from the .td files of the ops: the conversions of the structs of optimizers, and",
             "// their names on the command line.", "#include <cutset/optimizers.h>", "", "#include <cmath>",
             "", '#include "frontends/cpp/graph/named_optimizers.h"', "", "namespace cutset {", ""]
    lines += [line for s in structs if not s.handwritten for line in s.conversion()]
    lines += [f'static const RegisterOptimizer registered_{s.option}("{s.option}", {s.name}{{}});'
              for s in structs]
    return "\n".join(lines + ["", "}  // namespace cutset", ""])


def members_text(members):
    return ", ".join(f"`{m.name}` {m.default}" for m in members)


def optimizer_tables(ops, on_command_line):
    """Returns the lines of the documentation that describe all optimizers: a table of the structs and, if
    they have names on the command line, a table of their hyper-parameters."""
    structs = sorted_structs(ops)
    if not structs:
        return []
    lines = ["", "## Optimizers", "",
             "`Graph::minimize` takes one of these structs. The section of the op has the formulas of the "
             "struct. They",
             "write w for a variable, g for its gradient, and t for the number of steps that have updated w. "
             "A",
             "hyper-parameter may change between steps.", "",
             "| struct | op | hyper-parameters with their defaults | other members | states of `w` |",
             "|--|--|--|--|--|"]
    for s in structs:
        states = ", ".join(f"`w/{name}`" for name in s.op.operands[1:s.op.updates])
        cells = [f"`{s.name}`", f"[{s.op.name}](#{s.op.name})", members_text(s.operands()),
                 members_text(m for m in s.members if not m.is_operand), states]
        lines.append(f"| {' | '.join(cells)} |")
    if not on_command_line:
        return lines
    lines += ["", "## Hyper-parameters of optimizers", "",
              "The command line has an option for each hyper-parameter of an optimizer.", "",
              "| option | range | meaning and default |", "|--|--|--|"]
    return lines + [option_row(structs, name)
                    for name in sorted({m.name for s in structs for m in s.operands()})]


def option_row(structs, name):
    """Returns the row of a hyper-parameter. Optimizers for which it has one meaning and default are named
    together."""
    optimizers, ranges = {}, {}
    for s in structs:
        for m in (m for m in s.operands() if m.name == name):
            optimizers.setdefault((m.meaning.partition("; ")[0], m.default), []).append(s.option)
            ranges[m.range()] = True
    meanings = [f"{', '.join(sorted(options))}: {meaning} (default: {default})"
                for (meaning, default), options in optimizers.items()]
    return f"| `--{name.replace('_', '-')}` | {' or '.join(ranges)} | {'; '.join(meanings)} |"


def optimizer_text(struct, on_command_line):
    """Returns the lines of the documentation that describe one optimizer."""
    name = f", and the name on the command line `{struct.option}`" if on_command_line else ""
    lines, formula = ["", f"The struct is `{struct.name}`{name}:", ""], False
    for line in struct.description:
        if line.startswith("  ") != formula:
            formula = not formula
            lines += ["", "```text"] if formula else ["```", ""]
        lines.append(line.removeprefix("  "))
    return lines + ["```"] * formula
