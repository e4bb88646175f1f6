# SPDX-License-Identifier: Apache-2.0
"""The ops as their .td files declare them, read from the JSON form that `llvm-tblgen -dump-json` writes."""
import json

from optimizers import OptimizerStruct

# storage type of the attribute -> kind, C type of the flat field, C++ type of the option, type in the
# documentation
KINDS = {
    "::mlir::IntegerAttr": ("kI64", "int64_t", "int64_t", "i64"),
    "::mlir::FloatAttr": ("kF64", "double", "double", "f64"),
    "::mlir::BoolAttr": ("kBool", "uint8_t", "bool", "bool"),
    "::mlir::DenseI64ArrayAttr": ("kI64s", "cutset_i64s", "std::vector<int64_t>", "list of i64"),
    "::mlir::TypeAttr": ("kDType", "int32_t", "DType", "element type"),
    "::mlir::StringAttr": ("kString", "cutset_string", "std::string", "text"),
    "::mlir::DenseF64ArrayAttr": ("kF64s", "cutset_f64s", "std::vector<double>", "list of f64"),
}
# C++ type of the option -> type of the parameter, where they differ
PARAMETERS = {"int64_t": "WholeNumber", "double": "RealNumber",
              "std::vector<int64_t>": "const std::vector<int64_t>&",
              "std::vector<double>": "const std::vector<double>&", "std::string": "const std::string&"}
# kind -> the default of the member that a user must set, in C++
ZEROS = {"kI64": "0", "kF64": "0.0", "kBool": "false", "kI64s": "{}", "kDType": "DType::f32", "kString": '""',
         "kF64s": "{}"}
# kind -> the type of a list in AttrValue
LISTS = {"kI64s": "IntList", "kF64s": "FloatList"}
# The attribute that says how many operands each name stands for (kOperandSegments in ir/core/attributes.h).
SEGMENTS = "operand_segments"


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
            raise SystemExit(f"{op.name}: attribute '{name}' of kind {storage} has no flat form")
        self.name = name
        self.kind, self.c_type, self.cpp_type, self.text_type = KINDS[storage]
        self.words = base.get("words", [])
        default = record.get("defaultValue")
        self.required = default in (None, "")
        self.default = ZEROS[self.kind] if self.required else default
        self.per_axis = name in op.per_axis
        self.optional = False  # whether the C++ function has a default for a required attribute
        if self.words:
            self.kind, self.c_type, self.cpp_type = "kEnum", "int32_t", camel(op.family) + camel(name)
            self.text_type = "one of " + ", ".join(f"`{w}`" for w in self.words)
            self.default = self.words[0] if self.required else default.strip('"')
            if self.default not in self.words:
                raise SystemExit(f"{op.name}: the default '{self.default}' of attribute '{name}' is not one "
                                 "of its words")

    def value(self):
        """Returns the default as a C++ expression of type AttrValue."""
        if self.kind in LISTS:
            return f"AttrValue({LISTS[self.kind]}{self.default})"
        if self.kind == "kEnum":
            return f'AttrValue(std::string("{self.default}"))'
        return f"AttrValue({self.cpp_type}({self.default}))"

    def field(self, struct):
        """Returns the entry of the attribute in the AttrSchema."""
        words = ", {" + ", ".join(f'"{w}"' for w in self.words) + "}" if self.words else ""
        required = "true" if self.required else "false"
        return (f'{{"{self.name}", AttrKind::{self.kind}, offsetof({struct}, {self.name}), {required}, '
                f'{self.value()}{words}}}')

    def enumerator(self, word):
        """Returns the C++ enumerator of a word."""
        return f"{self.cpp_type}::k{camel(word)}"

    def member(self):
        """Returns the member of the struct of options, in C++."""
        default = self.enumerator(self.default) if self.words else self.default
        kind = "AxisSizes" if self.per_axis else self.cpp_type
        return f"{kind} {self.name} = {'{}' if self.required and not self.optional else default};"

    def parameter(self):
        """Returns the parameter of a function, in C++. Its type takes no braces, unless it is a list."""
        kind = "const AxisSizes&" if self.per_axis else PARAMETERS.get(self.cpp_type, self.cpp_type)
        default = self.enumerator(self.default) if self.words else self.default
        return f"{kind} {self.name}" + ("" if self.required and not self.optional else f" = {default}")

    def given(self, operand):
        """Returns the attribute that a user has given, as an entry of Attributes in C++. `operand` is the
        first operand."""
        value = f"word_of({self.name})" if self.words else \
            f"sizes_of({self.name}, {operand})" if self.per_axis else \
            f"{self.cpp_type}({self.name})" if self.cpp_type in ("int64_t", "double") else self.name
        return f'{{"{self.name}", {value}}}'

    def text(self):
        """Returns the attribute in the documentation: "`axes`: list of i64, default []"."""
        default = self.default.replace("{", "[").replace("}", "]")
        default = f"`{default}`" if self.words else default
        return f"`{self.name}`: {self.text_type}, " + ("required" if self.required else f"default {default}")


class Segments(Attribute):
    """The attribute SEGMENTS. No .td declares it, and no user gives it."""

    def __init__(self):
        self.name, self.required, self.words, self.default = SEGMENTS, True, [], "{}"
        self.kind, self.c_type, self.cpp_type, self.text_type = KINDS["::mlir::DenseI64ArrayAttr"]


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
            raise SystemExit(f"{self.name}: the summary must begin with a capital letter and have no full "
                             "stop")
        self.constraints = record["constraints"]
        self.returns = record["returns"]
        self.example = " ".join(record["example"].split())  # a .td may break it into several lines
        self.differentiable = bool(record["differentiable"])
        self.structural = bool(record["structural"])
        self.sharding_rule = record["shardingRule"] or self.family
        self.view = bool(record["view"])
        self.positional = bool(record["positional"])
        self.rounds_alike = bool(record["roundsAlike"])
        self.converts_halves = bool(record["converts_halves"])
        self.updates = record["updates"]
        self.has_states = self.updates > 1
        self.numbers_from = record["numbersFrom"] if record["numbersFrom"] >= 0 else None
        self.per_axis = record["perAxis"]
        self.operands, self.optional, self.variadic, self.attributes = [], set(), set(), []
        for value, arg in record["arguments"]["args"]:
            what = records[value["def"]]
            if "Attr" in what["!superclasses"]:
                self.attributes.append(Attribute(records, arg, what, self))
            elif "TypeConstraint" in what["!superclasses"]:
                self.operands.append(arg)
                if "Optional" in what["!superclasses"]:
                    self.optional.add(arg)
                if "Variadic" in what["!superclasses"]:
                    self.variadic.add(arg)
            elif arg != "placement":
                raise SystemExit(f"{self.name}: argument '{arg}' is neither an operand nor an attribute")
        self.given = self.order_attributes(record["byPosition"], record["ofCompiler"])
        self.flexible = self.optional | self.variadic
        self.segmented = len(self.flexible) > 1
        self.type_only = [o == "like" or o.endswith("_like") for o in self.operands]
        self.check_operands()
        self.results = [arg for _, arg in record["results"]["args"]]
        self.variadic_results = any("Variadic" in records[value["def"]]["!superclasses"]
                                    for value, _ in record["results"]["args"])
        if self.variadic_results and len(self.results) != 1:
            raise SystemExit(f"{self.name}: a variadic result must be the only result")
        if self.positional and "first_element" not in [a.name for a in self.attributes]:
            raise SystemExit(f"{self.name}: the op is positional, so it needs an attribute 'first_element'")
        self.optimizers = [OptimizerStruct(records, s["def"], self) for s in record["optimizers"]]

    def order_attributes(self, first, of_compiler):
        """Returns the attributes that users give, in the order of the parameters. An entry of `first` may
        have a default."""
        known = {a.name: a for a in self.attributes}
        order = []
        for entry in first:
            name, _, default = entry.partition(" = ")
            if name not in known:
                raise SystemExit(f"{self.name}: there is no attribute '{name}' to give by position")
            if default:
                known[name].default, known[name].optional = default, True
            order.append(known[name])
        for name in of_compiler:
            if name not in known or known[name].required:
                raise SystemExit(f"{self.name}: the compiler's attribute '{name}' must exist and have a "
                                 "default")
        return order + [a for a in self.attributes if a not in order and a.name not in of_compiler]

    def takes_numbers(self, i):
        """Whether the operand i may be a number."""
        return self.numbers_from is not None and i >= self.numbers_from

    def check_operands(self):
        if self.numbers_from is not None and (self.attributes or self.variadic):
            raise SystemExit(f"{self.name}: an op that takes numbers has no attributes and no variadic "
                             "operand")
        for i, operand in enumerate(self.operands):
            before = self.flexible & set(self.operands[:i])
            if self.type_only[i] and before:
                raise SystemExit(f"{self.name}: '{operand}' is read for its type only, so all operands "
                                 "before it must be "
                                 "required")
            if self.type_only[i] and operand in self.flexible and i + 1 < len(self.operands):
                raise SystemExit(f"{self.name}: '{operand}' is read for its type only and not required, so "
                                 "it must be "
                                 "the last operand")
        if self.updates and self.flexible:
            raise SystemExit(f"{self.name}: all operands of an op with updates must be required")

    def fields(self):
        """Returns the attributes in the flat struct."""
        return self.attributes + ([Segments()] if self.segmented else [])

    def operand_info(self, i):
        """Returns an element of OpInfo::operands in C++."""
        operand = self.operands[i]
        kind = ("kOptional" if operand in self.optional else "kVariadic" if operand in self.variadic
                else "kRequired")
        return f'{{"{operand}", OperandInfo::Kind::{kind}, {"true" if self.type_only[i] else "false"}}}'

    def struct(self):
        """Returns the C++ name of the flat struct of its attributes."""
        return camel(self.family) + "Attrs"

    def operand_text(self, operand):
        """Returns an operand in the documentation: its name and the notes that follow from its
        declaration."""
        notes = ["one or more"] if operand in self.variadic else [
            "optional"] if operand in self.optional else []
        notes += ["only its type is read"] if self.type_only[self.operands.index(operand)] else []
        return f"`{operand}`" + (f" ({', '.join(notes)})" if notes else "")


def read(path, folder):
    """Returns the ops of a folder, in alphabetical order."""
    records = json.load(open(path))
    ops = [Op(records, n, folder) for n in records["!instanceof"]["Compute"]]
    if not ops:
        raise SystemExit(f"{folder}: no op in its .td")
    return sorted(ops, key=lambda op: op.name)
