#!/usr/bin/env python3
"""Writes the C++ glue and the documentation of the ops from the JSON form of their .td files (`llvm-tblgen -dump-json`).

  generate.py folder JSON FOLDER OUT   writes the glue of one op folder:
                                         NAME_attrs.h  the flat C structs of the attributes
                                         NAME_rules.h  declarations of the functions that the folder must define
                                         NAME_info.cc  OpInfo: the schema of the attributes, pointers to the functions
                                         NAME_mlir.h   MLIR classes, adapters, registration; for NAME_rewrite.cc
  generate.py all JSON:FOLDER... OUT   writes the files that list all ops:
                                         op_folders.inc, op_list.cc, <cutset/ops.h>, ops.cc and ops.md

The script fails, naming the op and the attribute, if an attribute has a kind that has no flat form. It writes a file
only if its text has changed, so a changed comment in a .td rebuilds nothing.
"""
import json
import os
import sys
import textwrap

# storage type of the attribute -> kind, C type of the flat field, C++ type of the option, type in the documentation
KINDS = {
    "::mlir::IntegerAttr": ("kI64", "int64_t", "int64_t", "i64"),
    "::mlir::FloatAttr": ("kF64", "double", "double", "f64"),
    "::mlir::BoolAttr": ("kBool", "uint8_t", "bool", "bool"),
    "::mlir::DenseI64ArrayAttr": ("kI64s", "cutset_i64s", "std::vector<int64_t>", "list of i64"),
    "::mlir::TypeAttr": ("kDType", "int32_t", "DType", "element type"),
}


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


class Attribute:
    """An attribute of an op, as its .td declares it."""

    def __init__(self, records, name, record, op):
        base = records[record["baseAttr"]["def"]] if record.get("baseAttr") else record
        storage = base["storageType"].strip()
        if base["!name"] == "BoolAttr" or "BoolAttr" in base["!superclasses"]:
            storage = "::mlir::BoolAttr"
        if storage not in KINDS:
            raise SystemExit(f"{op}: attribute '{name}' of kind {storage} has no flat form")
        self.name = name
        self.kind, self.c_type, self.cpp_type, self.text_type = KINDS[storage]
        default = record.get("defaultValue")
        self.required = default in (None, "")
        zero = {"kI64": "0", "kF64": "0.0", "kBool": "false", "kI64s": "{}", "kDType": "DType::f32"}[self.kind]
        self.default = zero if self.required else default

    def value(self):
        """The default as a C++ expression of type AttrValue."""
        if self.kind == "kI64s":
            return f"AttrValue(IntList{self.default})"
        return f"AttrValue({self.cpp_type}({self.default}))"

    def text(self):
        """The attribute in the documentation: "`axes`: list of i64, default []"."""
        default = self.default.replace("{", "[").replace("}", "]")
        return f"`{self.name}`: {self.text_type}, " + ("required" if self.required else f"default {default}")


class Op:
    """An op, as its .td declares it."""

    def __init__(self, records, name, folder):
        record = records[name]
        self.namespace = record["builderNamespace"]
        self.folder = folder
        self.name = record["opName"]
        self.cpp = record["!name"].split("_", 1)[1]
        self.family = record["family"]
        self.summary = record["summary"]
        if not self.summary[:1].isupper() or self.summary.endswith("."):
            raise SystemExit(f"{self.name}: the summary must begin with a capital letter and have no full stop")
        self.constraints = record["constraints"]
        self.returns = record["returns"]
        self.example = " ".join(record["example"].split())  # a .td may break it into several lines
        self.differentiable = bool(record["differentiable"])
        self.structural = bool(record["structural"])
        self.sharding_rule = record["shardingRule"] or self.family
        self.view = bool(record["view"])
        self.positional = bool(record["positional"])
        self.updates = record["updates"]
        self.operands, self.optional, self.variadic, self.attributes = [], set(), set(), []
        for value, arg in record["arguments"]["args"]:
            what = records[value["def"]]
            if "Attr" in what["!superclasses"]:
                self.attributes.append(Attribute(records, arg, what, self.name))
            elif "TypeConstraint" in what["!superclasses"]:
                self.operands.append(arg)
                if "Optional" in what["!superclasses"]:
                    self.optional.add(arg)
                if "Variadic" in what["!superclasses"]:
                    self.variadic.add(arg)
            elif arg != "placement":
                raise SystemExit(f"{self.name}: argument '{arg}' is neither an operand nor an attribute")
        required = [o not in self.optional for o in self.operands]
        if required != sorted(required, reverse=True):
            raise SystemExit(f"{self.name}: a required operand comes after an optional one")
        self.results = [arg for _, arg in record["results"]["args"]]
        if self.positional and "first_element" not in [a.name for a in self.attributes]:
            raise SystemExit(f"{self.name}: the op is positional, so it needs an attribute 'first_element'")
        if self.variadic and len(self.operands) != 1:
            raise SystemExit(f"{self.name}: a variadic operand must be the only operand")
        self.type_only = sum(1 << i for i, o in enumerate(self.operands) if o == "like" or o.endswith("_like"))

    def struct(self):
        """The C++ name of the flat struct of its attributes."""
        return camel(self.family) + "Attrs"

    def operand_text(self, operand):
        """An operand in the documentation: its name and the notes that follow from its declaration."""
        notes = ["one or more"] if operand in self.variadic else ["optional"] if operand in self.optional else []
        notes += ["only its type is read"] if self.type_only >> self.operands.index(operand) & 1 else []
        return f"`{operand}`" + (f" ({', '.join(notes)})" if notes else "")


def read(path, folder):
    """The ops of a folder, in alphabetical order."""
    records = json.load(open(path))
    ops = [Op(records, n, folder) for n in records["!instanceof"]["Compute"]]
    if not ops:
        raise SystemExit(f"{folder}: no op in its .td")
    return sorted(ops, key=lambda op: op.name)


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
        fields = "".join(f"  {a.c_type} {a.name};\n" for a in op.attributes)
        if op.family in done:
            if done[op.family] != fields:
                raise SystemExit(f"{op.name}: members of family '{op.family}' have different attributes")
            continue
        done[op.family] = fields
        size = "  uint32_t size; /* the size of this struct in bytes, in the version of Cutset that filled it */\n"
        out.append(f"typedef struct {{\n{size}{fields}}} cutset_{op.family}_attrs;\n")
    out.append("#ifdef __cplusplus\nnamespace cutset {")
    out += [f"using {camel(f)}Attrs = cutset_{f}_attrs;" for f in done]
    out.append("}  // namespace cutset\n#endif\n")
    return "\n".join(out)


def rules_header(folder, name, ops):
    out = [f"// Generated from {folder}: the functions that its .cc files must define; a missing one is a link error.",
           "#pragma once", '#include "ir/core/op_info.h"', f'#include "{folder}/{name}_attrs.h"', "",
           "namespace cutset::rules {"]
    for family in dict.fromkeys(op.family for op in ops):
        attrs = camel(family) + "Attrs"
        out.append(f"namespace {family} {{\nResult<Types> infer(const {attrs}&, const Types& in);\n"
                   f"Cost cost(const {attrs}&, const Types& in);\n}}")
    for rule, attrs in dict((op.sharding_rule, op.struct()) for op in ops).items():
        out.append(f"namespace {rule} {{\nShardingRule shard(const {attrs}&, const Types& in);\n}}")
    for op in ops:
        out.append(f"namespace {op.name} {{\nusing Attrs = {op.struct()};\n"
                   "Status reference(const Attrs&, Views in, Views out);\nOpCases cases();\n}")
    return "\n".join(out + ["}  // namespace cutset::rules", ""])


def info_source(folder, name, ops):
    out = [f"// Generated from {folder}: the OpInfo of each of its ops.", '#include "ir/core/check_types.h"',
           f'#include "{folder}/{name}_rules.h"', "", "namespace cutset {"]
    quote = lambda names: "{" + ", ".join(f'"{n}"' for n in names) + "}"
    boolean = lambda b: "true" if b else "false"
    for op in ops:
        attrs = op.struct()
        fields = ",\n       ".join(f'{{"{a.name}", AttrKind::{a.kind}, offsetof({attrs}, {a.name}), '
                                   f'{boolean(a.required)}, {a.value()}}}' for a in op.attributes)
        flags = ", ".join(map(boolean, [op.structural, op.differentiable, op.view, op.positional]))
        cast = f"*static_cast<const {attrs}*>(a)"
        out.append(f"""extern const OpInfo info_{op.name};
const OpInfo info_{op.name} = {{
    "{op.name}", "{op.family}", {json.dumps(op.summary)}, "{folder}",
    {flags}, {op.updates}, {op.type_only}u,
    {len(op.optional)}, {boolean(bool(op.variadic))},
    {quote(op.operands)}, {quote(op.results)},
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
    rules::{op.name}::cases}};
""")
    return "\n".join(out + ["}  // namespace cutset", ""])


def mlir_header(folder, name, ops):
    out = [f"// Generated from {folder}: MLIR classes of its ops, adapters to their rules, and their registration.",
           f"// Only {name}_rewrite.cc includes this file.",
           "#pragma once", '#include "ir/dialect/dialect.h"', "#define GET_OP_CLASSES",
           f'#include "{folder}/{name}.h.inc"',
           "#define GET_OP_CLASSES", f'#include "{folder}/{name}.cpp.inc"', "", "namespace cutset {"]
    out += [f"extern const OpInfo info_{op.name};" for op in ops]
    out.append("}\nnamespace cutset::ir {")
    for op in ops:
        adds = "".join(f'  CUTSET_TRY(add_attribute(list, "{a}", properties.{a}));\n'
                       for a in sorted(a.name for a in op.attributes))
        given = " properties" if adds else ""
        out.append(f"""static Result<Attributes> attributes_of_{op.name}(const {op.cpp}::Properties&{given}) {{
  Attributes list;
{adds}  return list;
}}
Result<Attributes> {op.cpp}::read_attributes() {{ return attributes_of_{op.name}(getProperties()); }}
const OpInfo& {op.cpp}::op_info() {{ return info_{op.name}; }}
mlir::LogicalResult {op.cpp}::inferReturnTypes(
    mlir::MLIRContext* context, std::optional<mlir::Location> loc, mlir::ValueRange operands,
    mlir::DictionaryAttr attributes, mlir::OpaqueProperties properties, mlir::RegionRange,
    llvm::SmallVectorImpl<mlir::Type>& types) {{
  return infer_types(info_{op.name}, loc, operands,
                     properties ? attributes_of_{op.name}(*properties.as<Properties*>()) : attributes_of(attributes), types);
}}""")
    registered = ", ".join(op.cpp for op in ops)
    out.append(f"void register_{name}(mlir::Dialect& dialect) {{\n"
               "  auto add = [&]<class... Ops>() { (mlir::RegisteredOperationName::insert<Ops>(dialect), ...); };\n"
               f"  add.operator()<{registered}>();\n}}")
    return "\n".join(out + ["}  // namespace cutset::ir", ""])


def wrap(text, first, others):
    return textwrap.wrap(text, width=120, initial_indent=first, subsequent_indent=others, break_long_words=False,
                         break_on_hyphens=False)


def docstring(op):
    """The comment above the builder of an op: the summary, the result and the constraints."""
    lines = wrap(op.summary + ".", "// ", "// ")
    lines += wrap("Result: " + op.returns + ".", "// ", "//     ") if op.returns else []
    for constraint in op.constraints:
        lines += wrap(constraint + ".", "// ", "//     ")
    return lines


def declaration(start, parameters):
    """A function declaration that is broken only between its parameters."""
    whole = start.replace(" ", "\0") + "(" + ", ".join(p.replace(" ", "\0") for p in parameters) + ");"
    return [line.replace("\0", " ") for line in wrap(whole, "", "    ")]


def builders(ops):
    header = wrap("Generated: one function per op. A function appends its op to the graph of its operands and returns "
                  "the result, whose type is inferred at once. The comment of a function says what the op computes, "
                  "the shape and element type of the result, and the constraints of the op, which are numbered C1, C2 "
                  "and so on. If the operands or options violate a constraint, the function throws a cutset::Error "
                  "that names the constraint and the line of the call.", "// ", "// ")
    header += ["#pragma once",
              "#include <array>", "#include <source_location>", "#include <vector>", "",
              "#include <cutset/tensor.h>"]
    source = ["// Generated: the functions of <cutset/ops.h>.", "#include <cutset/ops.h>", "",
              '#include "frontends/cpp/append.h"']
    namespace = None
    for op in sorted((op for op in ops if op.namespace), key=lambda op: (op.namespace, op.name)):
        if op.namespace != namespace:
            for text in (header, source):
                text += [f"}}  // namespace {namespace}"] * bool(namespace) + ["", f"namespace {op.namespace} {{"]
            if op.namespace == "cutset::ops":
                header.append("// The ops that gradients and passes make.\n")
            namespace = op.namespace
        parameters, operands = [], []
        for o in op.operands:
            if o in op.variadic:
                parameters.append(f"const std::vector<Tensor>& {o}")
            else:
                parameters.append(f"const Tensor& {o}" + (" = {}" if o in op.optional else ""))
            operands.append(o)
        given = []
        for a in op.attributes:
            given.append(f'{{"{a.name}", options.{a.name}}}')
        if op.attributes:
            options = camel(op.name) + "Options"
            members = "\n".join(f"  {a.cpp_type} {a.name} = {'{}' if a.required else a.default};"
                                for a in op.attributes)
            members = members.replace("= {{", "= {").replace("}};", "};")
            header.append(f"\n// The attributes of {op.name}.\nstruct {options} {{\n{members}\n}};")
            parameters.append(f"const {options}& options" + ("" if any(a.required for a in op.attributes) else " = {}"))
        returns = "Tensor" if len(op.results) == 1 else f"std::array<Tensor, {len(op.results)}>"
        where = "std::source_location where"
        header += ([] if op.attributes else [""]) + docstring(op)
        header += declaration(f"{returns} {op.name}", parameters + [where + " = std::source_location::current()"])
        plain = [p.removesuffix(" = {}") for p in parameters]
        call = operands[0] if op.variadic else "{" + ", ".join(operands) + "}"
        optional = f", {len(op.optional)}" if op.optional else ""
        body = f'append("{op.name}", {call}, {{{", ".join(given)}}}, where{optional})'
        wrapped = f"  return {body}[0];" if len(op.results) == 1 else \
            "  auto r = " + body + ";\n  return {" + ", ".join(f"r[{i}]" for i in range(len(op.results))) + "};"
        source.append(f"{returns} {op.name}({', '.join(plain + [where])}) {{\n{wrapped}\n}}")
    end = [f"}}  // namespace {namespace}", ""]
    return "\n".join(header + end), "\n".join(source + end)


def documentation(ops):
    out = ["# Operations", "",
           "Generated from the op folders in `ir/ops` and `ir/structural`. `cutset ops NAME` shows which kernel each",
           "device chooses for the test problems of an op.", "",
           "The operands of an op must satisfy its constraints, which are numbered C1, C2 and so on. The error message",
           "begins with the number of the constraint that is violated.", "",
           "| op | operands | attributes | gradient |", "|--|--|--|--|"]
    for op in ops:
        attributes, gradient = ", ".join(a.name for a in op.attributes), "yes" if op.differentiable else "no"
        out.append(f"| [{op.name}](#{op.name}) | {', '.join(op.operands)} | {attributes} | {gradient} |")
    for op in ops:
        out += ["", f"## {op.name}", "", op.summary + ".", ""]
        out += [f"- Operands: {', '.join(map(op.operand_text, op.operands))}"]
        out += [f"- Attributes: {'; '.join(a.text() for a in op.attributes)}"] if op.attributes else []
        names = ", ".join(f"`{r}`" for r in op.results)
        out += [f"- Results: {names}; {op.returns}" if len(op.results) > 1 else f"- Result: {op.returns}"]
        out += [f"- {c}" for c in op.constraints]
        out += [f"- Gradient: {'yes' if op.differentiable else 'no'}", f"- Folder: `{op.folder}`"]
        out += ["", "```mlir", op.example, "```"] if op.example else []
    return "\n".join(out + [""])


def main():
    if sys.argv[1] == "folder":
        path, folder, out = sys.argv[2:5]
        name, ops = os.path.basename(folder), read(path, folder)
        write(f"{out}/{folder}/{name}_attrs.h", attrs_header(folder, ops))
        write(f"{out}/{folder}/{name}_rules.h", rules_header(folder, name, ops))
        write(f"{out}/{folder}/{name}_info.cc", info_source(folder, name, ops))
        write(f"{out}/{folder}/{name}_mlir.h", mlir_header(folder, name, ops))
        return
    out = sys.argv[-1]
    folders = [argument.split(":") for argument in sys.argv[2:-1]]
    ops = sorted((op for path, folder in folders for op in read(path, folder)), key=lambda op: op.name)
    names = [os.path.basename(folder) for folder in sorted(folder for _, folder in folders)]
    write(f"{out}/ir/dialect/op_folders.inc", "".join(f"OP_FOLDER({name})\n" for name in names))
    externs = "".join(f"extern const OpInfo info_{op.name};\n" for op in ops)
    table = ", ".join(f"&info_{op.name}" for op in ops)
    write(f"{out}/ir/core/op_list.cc", f"""// Generated: every op, by name.
#include <algorithm>

#include "ir/core/op_info.h"

namespace cutset {{
{externs}
std::span<const OpInfo* const> all_ops() {{
  static const OpInfo* const list[] = {{{table}}};
  return list;
}}
const OpInfo* find_op(std::string_view name) {{
  auto list = all_ops();
  auto it = std::lower_bound(list.begin(), list.end(), name,
                             [](const OpInfo* o, std::string_view n) {{ return o->name < n; }});
  return it != list.end() && (*it)->name == name ? *it : nullptr;
}}
}}  // namespace cutset
""")
    header, source = builders(ops)
    write(f"{out}/include/cutset/ops.h", header)
    write(f"{out}/frontends/cpp/ops.cc", source)
    write(f"{out}/docs/ops.md", documentation(ops))


main()
