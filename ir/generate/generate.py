#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the C++ glue and the documentation of the ops from the JSON form of their .td files (`llvm-tblgen
-dump-json`).

  generate.py folder JSON FOLDER OUT   writes the glue of one op folder:
                                         NAME_attrs.h  the flat C structs of the attributes, the enums of
                                             words, and
                                                       where the operands of ops with optional or variadic
                                                           ones lie
                                         NAME_rules.h  declarations of the functions that the folder must
                                             define
                                         NAME_info.cc  OpInfo: the schema of the attributes, pointers to the
                                             functions
                                         NAME_mlir.h   MLIR classes, adapters, registration; for
                                             NAME_rewrite.cc
                                         NAME_mlir.cc  includes NAME_mlir.h, for a folder without
                                             NAME_rewrite.cc
  generate.py all JSON:FOLDER... OUT   writes the files that list all ops:
                                         op_folders.inc, op_list.cc, <cutset/ops.h>, ops.cc,
                                         <cutset/optimizer_structs.h>, optimizers.cc and ops.md
  generate.py library NAME JSON:FOLDER... OUT
                                       writes the files that list the ops of an op library
                                           (cutset_add_op_library):
                                         <NAME/ops.h>, ops.cc, library.cc, which registers the ops,
                                             compiler.cc, which
                                         registers their MLIR classes, and ops.md

The script fails, naming the op and the attribute, if an attribute has a kind that has no flat form. It writes
a file only if its text has changed, so a changed comment in a .td rebuilds nothing. """
import json
import os
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
from builders import builders
from declarations import SEGMENTS, camel, read
from optimizers import (library_optimizers, optimizer_header, optimizer_source, optimizer_tables,
                        optimizer_text)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        if open(path).read() == text:
            return
    except FileNotFoundError:
        pass
    open(path, "w").write(text)


def attrs_header(folder, ops):
    out = [f"/* Generated from {folder}: the attributes of its ops as C structs. */", "#pragma once",
           '#include "ir/core/abi_types.h"', ""]
    done = {}
    for op in ops:
        fields = "".join(f"  {a.c_type} {a.name};\n" for a in op.fields())
        if op.family in done:
            if done[op.family] != fields:
                raise SystemExit(f"{op.name}: members of family '{op.family}' have different attributes")
            continue
        done[op.family] = fields
        for a in op.attributes:
            words = [f"CUTSET_{op.family}_{a.name}_{w}".upper() + f" = {i}" for i, w in enumerate(a.words)]
            if words:
                out.append(f"/* The values of the member {a.name}. */\nenum {{ {', '.join(words)} }};\n")
        size = ("  uint32_t size; /* the size of this struct in bytes, in the version of Cutset that filled "
                "it */\n")
        out.append(f"typedef struct {{\n{size}{fields}}} cutset_{op.family}_attrs;\n")
    flexible = [op for op in ops if op.flexible]
    out.append("#ifdef __cplusplus" + ('\n#include "ir/core/op/operand_range.h"' if flexible else "")
               + "\nnamespace cutset {")
    out += [f"using {camel(f)}Attrs = cutset_{f}_attrs;" for f in done]
    out += map(ranges, flexible)
    out.append("}  // namespace cutset\n#endif\n")
    return "\n".join(out)


def ranges(op):
    """Returns the struct of the ranges of the operands of an op, and the function that finds them among
    `count` operands."""
    others = len(op.operands) - 1
    text, first = [], "0"
    for i, operand in enumerate(op.operands):
        size = f"static_cast<size_t>(attributes.{SEGMENTS}.data[{i}])" if op.segmented else \
            f"count - {others}" if operand in op.flexible else "1"
        text.append(f"  at.{operand} = {{{first}, {size}}};")
        first = f"at.{operand}.first + at.{operand}.size"
    name = camel(op.name) + "Operands"
    unused = "" if op.segmented else "[[maybe_unused]] "
    count = "[[maybe_unused]] " if op.segmented else ""
    return "\n".join([f"// Where the operands of {op.name} lie.", f"struct {name} {{",
                      f"  OperandRange {', '.join(op.operands)};", "};",
                      "// `count` is the number of all operands, which operand_ranges has accepted.",
                      f"inline {name} {op.name}_operands({unused}const {op.struct()}& attributes, "
                      f"{count}size_t count) {{",
                      f"  {name} at;", *text, "  return at;", "}"])


def rules_header(folder, name, ops):
    out = [f"// Generated from {folder}: the functions that its .cc files must define; a missing one is a "
           "link error.",
           "#pragma once", '#include "ir/core/op/op_info.h"', f'#include "{folder}/{name}_attrs.h"', "",
           "namespace cutset::rules {"]
    for family in dict.fromkeys(op.family for op in ops):
        attrs = camel(family) + "Attrs"
        out.append(f"namespace {family} {{\nResult<Types> infer(const {attrs}&, const Types& in);\n"
                   f"Cost cost(const {attrs}&, const Types& in);\n}}")
    for rule, attrs in dict((op.sharding_rule, op.struct()) for op in ops).items():
        out.append(f"namespace {rule} {{\nShardingRule shard(const {attrs}&, const Types& in);\n}}")
    for op in ops:
        out.append(f"namespace {op.name} {{\nusing Attrs = {op.struct()};\n"
                   "Status reference(const Attrs&, Views in, Views out);\nOpCases cases();")
        if op.differentiable:
            out.append("GraphValues gradient(GradientBuilder&, const Attrs&, const Differentiated&);")
        if op.has_states:
            out.append("std::vector<VariableState> states(const Attrs&, const TensorType& variable);")
        out.append("}")
    return "\n".join(out + ["}  // namespace cutset::rules", ""])


def info_source(folder, name, ops):
    out = [f"// Generated from {folder}: the OpInfo of each of its ops.", '#include "ir/core/check_types.h"',
           f'#include "{folder}/{name}_rules.h"', "", "namespace cutset {"]
    quote = lambda names: "{" + ", ".join(f'"{n}"' for n in names) + "}"
    boolean = lambda b: "true" if b else "false"
    for op in ops:
        attrs = op.struct()
        fields = ",\n       ".join(a.field(attrs) for a in op.fields())
        flags = ", ".join(map(boolean,
                              [op.structural, op.view, op.positional, op.converts_halves, op.rounds_alike]))
        operands = ", ".join(op.operand_info(i) for i in range(len(op.operands)))
        cast = f"*static_cast<const {attrs}*>(a)"
        gradient = "nullptr"
        if op.differentiable:
            gradient = ("[](GradientBuilder& b, const void* a, const Differentiated& its) "
                        f"{{ return rules::{op.name}::gradient(b, {cast}, its); }}")
        states = "[](const void* a, const TensorType& variable) " \
                 f"{{ return rules::{op.name}::states({cast}, variable); }}" if op.has_states else "nullptr"
        out.append(f"""extern const OpInfo info_{op.name};
const OpInfo info_{op.name} = {{
    "{op.name}", "{op.family}", {json.dumps(op.summary)}, "{folder}",
    {flags}, {op.updates},
    {{{operands}}},
    {quote(op.results)}, {boolean(op.variadic_results)},
    {{sizeof({attrs}),
      {{{fields}}}}},
    [](const void* a, const Types& in) -> Result<Types> {{
      CUTSET_TRY(check_types("operand", in));
      CUTSET_ASSIGN(Types out, rules::{op.family}::infer({cast}, in));
      CUTSET_TRY(check_types("result", out));
      return out;
    }},
    [](const void* a, const Types& in) {{ return rules::{op.sharding_rule}::shard({cast}, in); }},
    [](const void* a, const Types& in) {{ return rules::{op.family}::cost({cast}, in); }},
    [](const void* a, Views in, Views out) {{ return rules::{op.name}::reference({cast}, in, out); }},
    rules::{op.name}::cases,
    {gradient},
    {states}}};
""")
    return "\n".join(out + ["}  // namespace cutset", ""])


def mlir_header(folder, name, ops):
    out = [f"// Generated from {folder}: MLIR classes of its ops, adapters to their rules, and their "
           "registration.",
           f"// Only {name}_rewrite.cc includes this file, or {name}_mlir.cc if there is no such file.",
           "#pragma once", '#include "ir/dialect/dialect.h"', "#define GET_OP_CLASSES",
           f'#include "{folder}/{name}.h.inc"',
           "#define GET_OP_CLASSES", f'#include "{folder}/{name}.cpp.inc"', "", "namespace cutset {"]
    out += [f"extern const OpInfo info_{op.name};" for op in ops]
    out.append("}\nnamespace cutset::ir {")
    for op in ops:
        adds = "".join(f'  CUTSET_TRY(add_attribute(list, "{a}", properties.{a}));\n' if a != SEGMENTS else
                       '  list.emplace_back(kOperandSegments, '
                       'IntList(properties.operandSegmentSizes.begin(), '
                       'properties.operandSegmentSizes.end()));\n'
                       for a in sorted(a.name for a in op.fields()))
        given = " properties" if adds else ""
        out.append(
            f"""static Result<Attributes> attributes_of_{op.name}(const {op.cpp}::Properties&{given}) {{
  Attributes list;
{adds}  return list;
}}
Result<Attributes> {op.cpp}::read_attributes() {{ return attributes_of_{op.name}(getProperties()); }}
const OpInfo& {op.cpp}::op_info() {{ return info_{op.name}; }}
mlir::LogicalResult {op.cpp}::inferReturnTypes(
    mlir::MLIRContext* context, std::optional<mlir::Location> loc, mlir::ValueRange operands,
    mlir::DictionaryAttr attributes, mlir::OpaqueProperties properties, mlir::RegionRange,
    llvm::SmallVectorImpl<mlir::Type>& types) {{
  return infer_types(
      info_{op.name}, loc, operands,
      properties ? attributes_of_{op.name}(*properties.as<Properties*>()) : attributes_of(attributes), types);
}}""")
    registered = ", ".join(op.cpp for op in ops)
    out.append(f"void register_{name}(mlir::Dialect& dialect) {{\n"
               "  auto add = [&]<class... Ops>() { (mlir::RegisteredOperationName::insert<Ops>(dialect), "
               "...); };\n"
               f"  add.operator()<{registered}>();\n}}")
    return "\n".join(out + ["}  // namespace cutset::ir", ""])


def documentation(ops, folders, on_command_line):
    out = ["# Operations", "",
           f"Generated from the op folders in {folders}. `cutset ops NAME` shows which kernel each",
           "device chooses for the test problems of an op.", "",
           "The operands of an op must satisfy its constraints, which are numbered C1, C2 and so on. The "
           "error message",
           "begins with the number of the constraint that is violated.", "",
           "| op | operands | attributes | gradient |", "|--|--|--|--|"]
    for op in ops:
        attributes, gradient = ", ".join(a.name for a in op.attributes), "yes" if op.differentiable else "no"
        out.append(f"| [{op.name}](#{op.name}) | {', '.join(op.operands)} | {attributes} | {gradient} |")
    out += optimizer_tables(ops, on_command_line)
    for op in ops:
        out += ["", f"## {op.name}", "", op.summary + ".", ""]
        out += [f"- Operands: {', '.join(map(op.operand_text, op.operands))}"]
        out += [f"- Attributes: {'; '.join(a.text() for a in op.attributes)}"] if op.attributes else []
        names = ", ".join(f"`{r}`" for r in op.results) + " (one or more)" * op.variadic_results
        out += [f"- Results: {names}; {op.returns}" if len(op.results) > 1 or op.variadic_results
                else f"- Result: {op.returns}"]
        out += [f"- {c}" for c in op.constraints]
        out += [f"- Gradient: {'yes' if op.differentiable else 'no'}", f"- Folder: `{op.folder}`"]
        out += ["", "```mlir", op.example, "```"] if op.example else []
        out += [line for struct in op.optimizers for line in optimizer_text(struct, on_command_line)]
    return "\n".join(out + [""])


def main():
    if sys.argv[1] == "folder":
        path, folder, out = sys.argv[2:5]
        name, ops = os.path.basename(folder), read(path, folder)
        write(f"{out}/{folder}/{name}_attrs.h", attrs_header(folder, ops))
        write(f"{out}/{folder}/{name}_rules.h", rules_header(folder, name, ops))
        write(f"{out}/{folder}/{name}_info.cc", info_source(folder, name, ops))
        write(f"{out}/{folder}/{name}_mlir.h", mlir_header(folder, name, ops))
        write(f"{out}/{folder}/{name}_mlir.cc",
              f'// Generated from {folder}.\n#include "{folder}/{name}_mlir.h"\n')
        return
    out = sys.argv[-1]
    library = sys.argv[2] if sys.argv[1] == "library" else None
    folders = [argument.split(":") for argument in sys.argv[3 if library else 2:-1]]
    ops = sorted((op for path, folder in folders for op in read(path, folder)), key=lambda op: op.name)
    if library:
        for op in ops:
            op.namespace = library if op.namespace == "cutset" else op.namespace
        return write_library(library, sorted(folder for _, folder in folders), ops, out)
    names = [os.path.basename(folder) for folder in sorted(folder for _, folder in folders)]
    write(f"{out}/ir/dialect/op_folders.inc", "".join(f"OP_FOLDER({name})\n" for name in names))
    externs = "".join(f"extern const OpInfo info_{op.name};\n" for op in ops)
    table = ", ".join(f"&info_{op.name}" for op in ops)
    write(f"{out}/ir/core/op_list.cc", f"""// Generated: every op of this source tree, by name.
#include "ir/core/op/op_info.h"

namespace cutset {{
{externs}
std::span<const OpInfo* const> built_in_ops() {{
  static const OpInfo* const list[] = {{{table}}};
  return list;
}}
}}  // namespace cutset
""")
    header, source = builders(ops, "cutset/ops.h")
    write(f"{out}/include/cutset/ops.h", header)
    write(f"{out}/frontends/cpp/ops.cc", source)
    write(f"{out}/include/cutset/optimizer_structs.h", optimizer_header(ops))
    write(f"{out}/frontends/cpp/graph/optimizer_conversions.cc", optimizer_source(ops))
    write(f"{out}/docs/ops.md", documentation(ops, "`ir/ops` and `ir/structural`", True))


def write_library(library, folders, ops, out):
    """Writes the files of an op library. Its tables of ops are compiled as one file, because they must be
    initialised before the object that registers them."""
    at = [(folder, os.path.basename(folder)) for folder in folders]
    includes = "".join(f'#include "{folder}/{name}_info.cc"\n' for folder, name in at)
    write(f"{out}/library.cc", f"""// Generated: registers the ops of the op library {library}.
#include "ir/core/op/op_library.h"
{includes}
namespace {{
const cutset::OpInfo* const ops[] = {{{", ".join(f"&cutset::info_{op.name}" for op in ops)}}};
const cutset::OpLibraryRegistration registration(
    {{CUTSET_VERSION, sizeof(cutset::OpInfo), "{library}", ops}});
}}  // namespace
""")
    declarations = "".join(f"void register_{name}(mlir::Dialect&);\n" for _, name in at)
    objects = "".join(f"const OpFolderRegistration registration_{name}(register_{name});\n" for _, name in at)
    write(f"{out}/compiler.cc", f"""// Generated: registers the MLIR classes of the op library {library}.
#include "ir/dialect/dialect.h"

namespace cutset::ir {{
{declarations}namespace {{
{objects}}}  // namespace
}}  // namespace cutset::ir
""")
    header, source = builders(ops, f"{library}/ops.h")
    structs, conversions = library_optimizers(ops, library)
    write(f"{out}/include/{library}/ops.h", header + structs)
    write(f"{out}/ops.cc", source + conversions)
    write(f"{out}/ops.md", documentation(ops, ", ".join(f"`{folder}`" for folder in folders), False))


main()
