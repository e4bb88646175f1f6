// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/nodes/node.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "frontends/onnx/import/model/tensor_proto.h"
#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"
#include "ir/core/number_text.h"

namespace cutset::onnx {

using Attribute = onnx_proto::AttributeProto;

bool is_default_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

Node::Node(const onnx_proto::NodeProto& proto, std::vector<Value> operands, ImportContext& context)
    : proto_(proto),
      operands_(std::move(operands)),
      read_(operands_.size()),
      read_attribute_(static_cast<size_t>(proto.attribute_size())),
      reads_operand_(operands_.size()),
      context_(context) {
  std::set<std::string_view> names;
  for (const Attribute& a : proto.attribute())
    if (!names.insert(a.name()).second) invalid("the attribute '" + shown(a.name()) + "' is given twice");
}

int Node::operands() const {
  read_.assign(operands_.size(), true);
  return static_cast<int>(operands_.size());
}

bool Node::has(int i) const {
  const auto at = static_cast<size_t>(i);
  if (at >= operands_.size()) return false;
  read_[at] = true;
  return static_cast<bool>(operands_[at]);
}

int Node::unread_operand() const {
  for (size_t i = 0; i < operands_.size(); ++i)
    if (operands_[i] && !read_[i]) return static_cast<int>(i);
  return -1;
}

const Value& Node::tensor_or_sequence(int i) const {
  if (!has(i)) invalid("operand " + std::to_string(i) + " is missing");
  return operands_[static_cast<size_t>(i)];
}

const Value& Node::value(int i) const {
  const Value& operand = tensor_or_sequence(i);
  if (operand.sequence)
    unsupported("operand " + std::to_string(i) + " ('" + shown(proto_.input(i)) +
                "') is a sequence of tensors");
  return operand;
}

const std::vector<Value>& Node::sequence(int i) const {
  const Value& operand = tensor_or_sequence(i);
  if (!operand.sequence)
    invalid("operand " + std::to_string(i) + " ('" + shown(proto_.input(i)) +
            "') is a tensor, and not a sequence");
  return *operand.sequence;
}

bool Node::reads_sequence() const {
  return std::ranges::any_of(operands_, [](const Value& operand) { return operand.sequence != nullptr; });
}

Tensor Node::in(int i) {
  const int id = value(i).id;
  reads_operand_[static_cast<size_t>(i)] = true;
  return context_.tensor(id);
}

std::vector<Assigned*> Node::assigned(std::initializer_list<int> operands) {
  std::vector<int> ids;
  for (const int i : operands)
    if (has(i)) ids.push_back(value(i).id);
  return ids.size() == operands.size() ? context_.assigned(ids) : std::vector<Assigned*>();
}

std::vector<Tensor> Node::all() {
  std::vector<Tensor> tensors;
  for (int i = 0; i < operands(); ++i) tensors.push_back(in(i));
  return tensors;
}

const HostTensor* Node::known_or_null(int i) {
  const Value& operand = value(i).known ? value(i) : context_.folded(value(i).id);
  if (operand.is_weight || operand.from_weights || operand.from_inputs)
    context_.decide(operand.id, shown_name());
  return operand.known.get();
}

const HostTensor& Node::known(int i) {
  if (const HostTensor* elements = known_or_null(i)) return *elements;
  unsupported("the elements of operand " + std::to_string(i) + " ('" + shown(proto_.input(i)) +
              "') decide what the graph is, but they are computed when the program runs; make them an "
              "initializer, or give the "
              "elements of the inputs that they follow from, in ImportOptions::known or with --known");
}

std::vector<int64_t> Node::known_ints(int i) {
  const HostTensor& elements = known(i);
  std::vector<int64_t> numbers;
  for (int64_t k = 0; k < elements.elements(); ++k) {
    if (elements.dtype() == DType::i64) {
      numbers.push_back(elements.as<int64_t>()[static_cast<size_t>(k)]);
      continue;
    }
    const double number = elements.at(k);
    if (!(std::fabs(number) <= 0x1p53) || number != std::floor(number))
      invalid("element " + std::to_string(k) + " of operand " + std::to_string(i) + " is not a whole number");
    numbers.push_back(static_cast<int64_t>(number));
  }
  return numbers;
}

int64_t Node::known_number(int i) {
  const std::vector<int64_t> numbers = known_ints(i);
  if (numbers.size() != 1)
    invalid("operand " + std::to_string(i) + " has " + counted(numbers.size(), "element"));
  return numbers[0];
}

int Node::results() const { return proto_.output_size(); }
bool Node::wants(int i) const { return i < proto_.output_size() && !proto_.output(i).empty(); }

const Attribute* Node::find(const char* name) const {
  for (int i = 0; i < proto_.attribute_size(); ++i)
    if (proto_.attribute(i).name() == name) {
      read_attribute_[static_cast<size_t>(i)] = true;
      return &proto_.attribute(i);
    }
  return nullptr;
}

const std::string* Node::unread_attribute() const {
  for (int i = 0; i < proto_.attribute_size(); ++i)
    if (!read_attribute_[static_cast<size_t>(i)]) return &proto_.attribute(i).name();
  return nullptr;
}

void Node::ignore(std::initializer_list<const char*> attributes) const {
  for (const char* name : attributes) find(name);
}

// Checks the kind of an attribute. An attribute may leave out its value if the value is 0 or an empty list,
// but must not have a value of another kind.
static const Attribute& of_kind(const Attribute& a, Attribute::AttributeType kind) {
  const bool other = (a.has_i() && kind != Attribute::INT) || (a.has_f() && kind != Attribute::FLOAT) ||
                     (a.has_s() && kind != Attribute::STRING) || (a.has_t() && kind != Attribute::TENSOR) ||
                     (a.ints_size() > 0 && kind != Attribute::INTS) ||
                     (a.floats_size() > 0 && kind != Attribute::FLOATS) ||
                     (a.strings_size() > 0 && kind != Attribute::STRINGS);
  if (a.type() != kind || other || !a.ref_attr_name().empty())
    invalid("the attribute '" + a.name() + "' is not of the kind " + Attribute::AttributeType_Name(kind));
  return a;
}

int64_t Node::number(const char* name, int64_t otherwise) const {
  const Attribute* a = find(name);
  return a ? of_kind(*a, Attribute::INT).i() : otherwise;
}
double Node::real(const char* name, double otherwise) const {
  const Attribute* a = find(name);
  return a ? static_cast<double>(of_kind(*a, Attribute::FLOAT).f()) : otherwise;
}
std::string Node::text(const char* name, const std::string& otherwise) const {
  const Attribute* a = find(name);
  return a ? of_kind(*a, Attribute::STRING).s() : otherwise;
}
std::optional<std::vector<int64_t>> Node::numbers(const char* name) const {
  const Attribute* a = find(name);
  if (!a) return std::nullopt;
  const auto& list = of_kind(*a, Attribute::INTS).ints();
  return std::vector<int64_t>(list.begin(), list.end());
}
std::optional<std::vector<double>> Node::reals(const char* name) const {
  const Attribute* a = find(name);
  if (!a) return std::nullopt;
  const auto& list = of_kind(*a, Attribute::FLOATS).floats();
  return std::vector<double>(list.begin(), list.end());
}
std::optional<std::vector<std::string>> Node::texts(const char* name) const {
  const Attribute* a = find(name);
  if (!a) return std::nullopt;
  const auto& list = of_kind(*a, Attribute::STRINGS).strings();
  return std::vector<std::string>(list.begin(), list.end());
}
std::optional<HostTensor> Node::tensor(const char* name) const {
  const Attribute* a = find(name);
  if (!a) return std::nullopt;
  return host_tensor(of_kind(*a, Attribute::TENSOR).t(), "the attribute '" + shown(a->name()) + "'",
                     context_.files());
}

const onnx_proto::GraphProto& Node::body(const char* name) const {
  const Attribute* a = find(name);
  if (!a) invalid(std::string("the attribute '") + name + "' is missing");
  return of_kind(*a, Attribute::GRAPH).g();
}

BodyContext& Node::bodies() {
  if (BodyContext* bodies = context_.bodies()) return *bodies;
  unsupported(shown_name() + " has bodies, and is not computed while the graph is built");
}

std::string Node::shown_name() const {
  if (!proto_.name().empty()) return "the node '" + shown(proto_.name()) + "'";
  for (int i = 0; i < results(); ++i)
    if (wants(i)) return "the node that computes " + shown_result(i);
  return "the node without a name";
}

std::string Node::shown_result(int i) const {
  return wants(i) ? "'" + shown(proto_.output(i)) + "'" : std::to_string(i);
}

std::optional<std::vector<int64_t>> Node::numbers_or_operand(const char* name, int i) {
  if (has_attribute(name)) return numbers(name);
  if (has(i)) return known_ints(i);
  return std::nullopt;
}

int64_t dimension(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    invalid("axis " + std::to_string(axis) + " is not a dimension of a tensor of rank " +
            std::to_string(rank));
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> dimensions(std::vector<int64_t> axes, int64_t rank) {
  std::set<int64_t> named;
  for (int64_t& axis : axes) {
    axis = dimension(axis, rank);
    if (!named.insert(axis).second) invalid("axis " + std::to_string(axis) + " is named twice");
  }
  return axes;
}

}  // namespace cutset::onnx
