#!/usr/bin/env python3
"""Writes the glue of the op rooms from `llvm-tblgen -dump-json` of their .td files.

  generate.py room JSON ROOM OUT   one room: NAME_attrs.h  flat C structs of the attributes
                                             NAME_rules.h  what the room's plain C++ must define
                                             NAME_info.cc  OpInfo: schema and functions behind pointers
                                             NAME_mlir.h   classes, adapters and registration (one file includes it)
  generate.py all JSON:ROOM... OUT all rooms: rooms.inc, op_list.cc, cutset/ops.h, ops.cc, ops.md

A kind of attribute that has no flat form is an error naming it, and so is an unknown default.
Files are only touched when their text changes, so a comment in a .td rebuilds nothing.
"""
import json
import os
import re
import sys

# storage type of the attribute -> kind, C type of the flat field, C++ type of the option
KINDS = {
    "::mlir::IntegerAttr": ("kI64", "int64_t", "int64_t"),
    "::mlir::FloatAttr": ("kF64", "double", "double"),
    "::mlir::BoolAttr": ("kBool", "uint8_t", "bool"),
    "::mlir::DenseI64ArrayAttr": ("kI64s", "cutset_i64s", "std::vector<int64_t>"),
    "::mlir::TypeAttr": ("kDType", "int32_t", "DType"),
}


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


class Attribute:
    def __init__(self, records, name, record, op):
        base = records[record["baseAttr"]["def"]] if record.get("baseAttr") else record
        storage = base["storageType"].strip()
        if base["!name"] == "BoolAttr" or "BoolAttr" in base["!superclasses"]:
            storage = "::mlir::BoolAttr"
        if storage not in KINDS:
            raise SystemExit(f"{op}: attribute '{name}' of kind {storage} has no flat form")
        self.name = name
        self.kind, self.c_type, self.cpp_type = KINDS[storage]
        default = record.get("defaultValue")
        self.required = default in (None, "")
        zero = {"kI64": "0", "kF64": "0.0", "kBool": "false", "kI64s": "{}", "kDType": "DType::f32"}[self.kind]
        self.default = zero if self.required else default

    def value(self):
        return f"AttrValue({self.cpp_type}({self.default}))" if self.kind != "kI64s" else f"AttrValue(std::vector<int64_t>{self.default})"


class Op:
    def __init__(self, records, name, room):
        record = records[name]
        self.room = room
        self.name = record["opName"]
        self.cpp = record["!name"].split("_", 1)[1]
        self.family = record["family"]
        self.summary = record["summary"]
        self.constraints = record["constraints"]
        self.example = record["example"].strip()
        self.differentiable = bool(record["differentiable"])
        self.structural = bool(record["structural"])
        self.sums = bool(record["sums"])
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
            raise SystemExit(f"{self.name}: an optional operand comes before one that is not")
        self.results = [arg for _, arg in record["results"]["args"]]
        if self.positional and "first_element" not in [a.name for a in self.attributes]:
            raise SystemExit(f"{self.name}: is positional and has no attribute 'first_element'")
        if self.variadic and len(self.operands) != 1:
            raise SystemExit(f"{self.name}: a variadic operand is not the only one")
        self.type_only = sum(1 << i for i, o in enumerate(self.operands) if o == "like" or o.endswith("_like"))

    def struct(self):
        return camel(self.family) + "Attrs"


def read(path, room):
    records = json.load(open(path))
    ops = [Op(records, n, room) for n in records["!instanceof"]["Compute"]]
    if not ops:
        raise SystemExit(f"{room}: no op in its .td")
    return sorted(ops, key=lambda op: op.name)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        if open(path).read() == text:
            return
    except FileNotFoundError:
        pass
    open(path, "w").write(text)


def attrs_header(room, ops):
    out = [f"/* Generated from {room}. */", "#pragma once", '#include "ir/core/abi_types.h"', ""]
    done = {}
    for op in ops:
        fields = "".join(f"  {a.c_type} {a.name};\n" for a in op.attributes)
        if op.family in done:
            if done[op.family] != fields:
                raise SystemExit(f"{op.name}: members of family '{op.family}' have different attributes")
            continue
        done[op.family] = fields
        out.append(f"typedef struct {{\n  uint32_t size; /* of this struct, as its writer knew it */\n{fields}}} cutset_{op.family}_attrs;\n")
    out.append("#ifdef __cplusplus\nnamespace cutset {")
    out += [f"using {camel(f)}Attrs = cutset_{f}_attrs;" for f in done]
    out.append("}  // namespace cutset\n#endif\n")
    return "\n".join(out)


def rules_header(room, name, ops):
    out = [f"// Generated from {room}: what its plain C++ defines. A forgotten function is a link error naming it.",
           "#pragma once", '#include "ir/core/op_info.h"', f'#include "{room}/{name}_attrs.h"', "", "namespace cutset::ops {"]
    for family in dict.fromkeys(op.family for op in ops):
        attrs = camel(family) + "Attrs"
        out.append(f"namespace {family} {{\nResult<Types> infer(const {attrs}&, const Types& in);\n"
                   f"ShardingRule shard(const {attrs}&, const Types& in);\nCost cost(const {attrs}&, const Types& in);\n}}")
    for op in ops:
        out.append(f"namespace {op.name} {{\nusing Attrs = {op.struct()};\n"
                   "Status reference(const Attrs&, Views in, Views out);\nOpCases cases();\n}")
    return "\n".join(out + ["}  // namespace cutset::ops", ""])


def info_source(room, name, ops):
    out = [f"// Generated from {room}.", '#include "ir/core/check_types.h"', f'#include "{room}/{name}_rules.h"', "", "namespace cutset {"]
    quote = lambda names: "{" + ", ".join(f'"{n}"' for n in names) + "}"
    boolean = lambda b: "true" if b else "false"
    for op in ops:
        attrs = op.struct()
        fields = ",\n       ".join(f'{{"{a.name}", AttrKind::{a.kind}, offsetof({attrs}, {a.name}), {boolean(a.required)}, {a.value()}}}'
                                   for a in op.attributes)
        cast = f"*static_cast<const {attrs}*>(a)"
        out.append(f"""extern const OpInfo info_{op.name};
const OpInfo info_{op.name} = {{
    "{op.name}", "{op.family}", {json.dumps(op.summary)}, "{room}",
    {boolean(op.structural)}, {boolean(op.differentiable)}, {boolean(op.sums)}, {boolean(op.view)}, {boolean(op.positional)}, {op.updates}, {op.type_only}u,
    {len(op.optional)}, {boolean(bool(op.variadic))},
    {quote(op.operands)}, {quote(op.results)},
    {{sizeof({attrs}),
      {{{fields}}}}},
    [](const void* a, const Types& in) -> Result<Types> {{
      CUTSET_TRY(check_types("operand", in));
      CUTSET_ASSIGN(Types out, ops::{op.family}::infer({cast}, in));
      CUTSET_TRY(check_types("result", out));
      return out;
    }},
    [](const void* a, const Types& in) {{ return ops::{op.family}::shard({cast}, in); }},
    [](const void* a, const Types& in) {{ return ops::{op.family}::cost({cast}, in); }},
    [](const void* a, Views in, Views out) {{ return ops::{op.name}::reference({cast}, in, out); }},
    ops::{op.name}::cases}};
""")
    return "\n".join(out + ["}  // namespace cutset", ""])


def mlir_header(room, name, ops):
    out = [f"// Generated from {room}: classes, adapters to the rules, registration. Included by {name}_rewrite.cc alone.",
           "#pragma once", '#include "ir/dialect/dialect.h"', "#define GET_OP_CLASSES", f'#include "{room}/{name}.h.inc"',
           "#define GET_OP_CLASSES", f'#include "{room}/{name}.cpp.inc"', "", "namespace cutset {"]
    out += [f"extern const OpInfo info_{op.name};" for op in ops]
    out.append("}\nnamespace cutset::ir {")
    for op in ops:
        out.append(f"""const OpInfo& {op.cpp}::opInfo() {{ return info_{op.name}; }}
mlir::LogicalResult {op.cpp}::inferReturnTypes(mlir::MLIRContext* context, std::optional<mlir::Location> loc, mlir::ValueRange operands,
    mlir::DictionaryAttr attributes, mlir::OpaqueProperties properties, mlir::RegionRange, llvm::SmallVectorImpl<mlir::Type>& types) {{
  mlir::Attribute inherent = attributes;
  if (properties) inherent = getPropertiesAsAttr(context, *properties.as<Properties*>());
  return inferTypes(info_{op.name}, loc, operands, inherent, types);
}}""")
    registered = ", ".join(op.cpp for op in ops)
    out.append(f"void register_{name}(mlir::Dialect& dialect) {{\n  auto add = [&]<class... Ops>() {{ (mlir::RegisteredOperationName::insert<Ops>(dialect), ...); }};\n"
               f"  add.operator()<{registered}>();\n}}")
    return "\n".join(out + ["}  // namespace cutset::ir", ""])


def builders(ops):
    header = ["// Generated: one function an op. Each appends the op to the graph of its operands; shapes are inferred at once, and an",
              "// operand that the op refuses is a cutset::Error with the line of the call.", "#pragma once",
              "#include <array>", "#include <source_location>", "#include <vector>", "", "#include <cutset/tensor.h>", "", "namespace cutset {"]
    source = ["// Generated.", "#include <cutset/ops.h>", "", '#include "frontends/cpp/append.h"', "", "namespace cutset {"]
    for op in ops:
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
            members = "\n".join(f"  {a.cpp_type} {a.name}" + (" = {}" if a.required else f" = {a.default}") + ";" for a in op.attributes)
            members = members.replace("= {{", "= {").replace("}};", "};")
            header.append(f"\nstruct {options} {{\n{members}\n}};")
            parameters.append(f"const {options}& options" + ("" if any(a.required for a in op.attributes) else " = {}"))
        returns = "Tensor" if len(op.results) == 1 else f"std::array<Tensor, {len(op.results)}>"
        where = "std::source_location where"
        header.append(f"// {op.summary}.\n{returns} {op.name}({', '.join(parameters + [where + ' = std::source_location::current()'])});")
        plain = [p.removesuffix(" = {}") for p in parameters]
        call = operands[0] if op.variadic else "{" + ", ".join(operands) + "}"
        optional = f", {len(op.optional)}" if op.optional else ""
        body = f'append("{op.name}", {call}, {{{", ".join(given)}}}, where{optional})'
        wrapped = f"  return {body}[0];" if len(op.results) == 1 else \
            "  auto r = " + body + ";\n  return {" + ", ".join(f"r[{i}]" for i in range(len(op.results))) + "};"
        source.append(f"{returns} {op.name}({', '.join(plain + [where])}) {{\n{wrapped}\n}}")
    return "\n".join(header + ["}  // namespace cutset", ""]), "\n".join(source + ["}  // namespace cutset", ""])


def documentation(ops):
    out = ["# Operations", "", "Generated from the rooms of `ir/ops` and `ir/structural`; `cutset ops` prints the same, with what each backend offers.", "",
           "| op | operands | results | attributes | gradient |", "|--|--|--|--|--|"]
    for op in ops:
        attributes = ", ".join(f"{a.name}: {a.cpp_type.replace('std::', '')}" + ("" if a.required else f" = {a.default}") for a in op.attributes)
        out.append(f"| [{op.name}](#{op.name}) | {', '.join(op.operands)} | {', '.join(op.results)} | {attributes} | {'yes' if op.differentiable else 'no'} |")
    for op in ops:
        out += ["", f"## {op.name}", "", op.summary[:1].upper() + op.summary[1:] + f". Room: `{op.room}`."]
        out += ["", *[f"- {c}" for c in op.constraints]] if op.constraints else []
        out += ["", f"    {op.example}"] if op.example else []
    return "\n".join(out + [""])


def main():
    if sys.argv[1] == "room":
        path, room, out = sys.argv[2:5]
        name, ops = os.path.basename(room), read(path, room)
        write(f"{out}/{room}/{name}_attrs.h", attrs_header(room, ops))
        write(f"{out}/{room}/{name}_rules.h", rules_header(room, name, ops))
        write(f"{out}/{room}/{name}_info.cc", info_source(room, name, ops))
        write(f"{out}/{room}/{name}_mlir.h", mlir_header(room, name, ops))
        return
    out = sys.argv[-1]
    rooms = [argument.split(":") for argument in sys.argv[2:-1]]
    ops = sorted((op for path, room in rooms for op in read(path, room)), key=lambda op: op.name)
    write(f"{out}/ir/dialect/rooms.inc", "".join(f"ROOM({os.path.basename(room)})\n" for _, room in sorted(rooms, key=lambda r: r[1])))
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
  auto it = std::lower_bound(list.begin(), list.end(), name, [](const OpInfo* o, std::string_view n) {{ return o->name < n; }});
  return it != list.end() && (*it)->name == name ? *it : nullptr;
}}
}}  // namespace cutset
""")
    header, source = builders(ops)
    write(f"{out}/include/cutset/ops.h", header)
    write(f"{out}/frontends/cpp/ops.cc", source)
    write(f"{out}/docs/ops.md", documentation(ops))


main()
