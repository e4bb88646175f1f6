// SPDX-License-Identifier: Apache-2.0
// ONNX models for tests, written as bytes of protobuf, field by field.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace cutset::onnx {

// A message under construction: numbers and nested messages by the number of their field.
struct Message {
  std::string bytes;
  Message& number(int field, uint64_t value) {
    varint(static_cast<uint64_t>(field) << 3);
    return varint(value);
  }
  Message& text(int field, const std::string& value) {
    varint(static_cast<uint64_t>(field) << 3 | 2);
    varint(value.size());
    bytes += value;
    return *this;
  }
  Message& nested(int field, const Message& value) { return text(field, value.bytes); }
  Message& varint(uint64_t v) {
    for (; v > 127; v >>= 7) bytes += static_cast<char>((v & 127) | 128);
    bytes += static_cast<char>(v);
    return *this;
  }
};
inline std::vector<unsigned char> bytes_of(const Message& m) { return {m.bytes.begin(), m.bytes.end()}; }

inline constexpr int kFloat = 1, kInt32 = 6, kInt64 = 7, kBool = 9;

// Returns a TensorProto with raw data.
inline Message tensor(const std::string& name, int type, const std::vector<int64_t>& dims,
                      const std::string& raw) {
  Message t;
  for (const int64_t d : dims) t.number(1, static_cast<uint64_t>(d));
  return t.number(2, static_cast<uint64_t>(type)).text(8, name).text(9, raw);
}
template <class T>
std::string raw(const std::vector<T>& elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)};
}
// Return initializers of one element: a whole number, a truth value, and a number.
inline Message number(const std::string& name, int64_t i) {
  return tensor(name, kInt64, {}, raw<int64_t>({i}));
}
inline Message truth(const std::string& name, bool b) { return tensor(name, kBool, {}, {b ? '\1' : '\0'}); }
inline Message real(const std::string& name, float f) { return tensor(name, kFloat, {}, raw<float>({f})); }
// Returns an initializer with one dimension, which is a weight.
inline Message floats(const std::string& name, const std::vector<float>& elements) {
  return tensor(name, kFloat, {static_cast<int64_t>(elements.size())}, raw<float>(elements));
}
inline Message node(const std::string& op, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs) {
  Message n;
  for (const std::string& input : inputs) n.text(1, input);
  for (const std::string& output : outputs) n.text(2, output);
  return n.text(4, op);
}
inline Message node(const std::string& op, const std::vector<std::string>& inputs,
                    const std::string& output) {
  return node(op, inputs, std::vector<std::string>{output});
}
inline Message value(const std::string& name, const std::vector<int64_t>& dims, int element_type = kFloat) {
  Message shape, type;
  for (const int64_t d : dims) shape.nested(1, Message().number(1, static_cast<uint64_t>(d)));
  type.number(1, static_cast<uint64_t>(element_type)).nested(2, shape);
  return Message().text(1, name).nested(2, Message().nested(1, type));
}
// Returns an input or an output whose type the model does not state.
inline Message value(const std::string& name) { return Message().text(1, name); }
// Returns the graph of a model, or a body.
inline Message graph(const std::vector<Message>& nodes, const std::vector<Message>& inputs,
                     const std::vector<Message>& outputs, const std::vector<Message>& initializers = {}) {
  Message g;
  for (const Message& n : nodes) g.nested(1, n);
  for (const Message& i : initializers) g.nested(5, i);
  for (const Message& i : inputs) g.nested(11, i);
  for (const Message& o : outputs) g.nested(12, o);
  return g;
}
inline Message model(const Message& of_graph, uint64_t opset = 20) {
  return Message().nested(7, of_graph).nested(8, Message().number(2, opset));
}
inline Message model(const std::vector<Message>& nodes, const std::vector<Message>& initializers,
                     const Message& input) {
  return model(graph(nodes, {input}, {value("y")}, initializers));
}

// Return attributes of a node: a whole number, a list of whole numbers, a number, a text, a list of texts,
// and a body.
inline Message attribute(const std::string& name, int64_t value) {
  return Message().text(1, name).number(3, static_cast<uint64_t>(value)).number(20, 2);
}
inline Message attribute(const std::string& name, const std::vector<int64_t>& values) {
  Message m = Message().text(1, name).number(20, 7);
  for (const int64_t v : values) m.number(8, static_cast<uint64_t>(v));
  return m;
}
inline Message attribute(const std::string& name, float value) {
  Message m = Message().text(1, name).number(20, 1).varint(2 << 3 | 5);
  m.bytes += raw<float>({value});
  return m;
}
inline Message attribute(const std::string& name, const std::vector<float>& values) {
  Message m = Message().text(1, name).number(20, 6);
  for (const float v : values) m.varint(7 << 3 | 5).bytes += raw<float>({v});
  return m;
}
inline Message attribute(const std::string& name, const char* value) {
  return Message().text(1, name).text(4, value).number(20, 3);
}
inline Message attribute(const std::string& name, const std::vector<std::string>& values) {
  Message m = Message().text(1, name).number(20, 8);
  for (const std::string& v : values) m.text(9, v);
  return m;
}

inline Message attribute(const std::string& name, const Message& body) {
  return Message().text(1, name).nested(6, body).number(20, 5);
}

// Return nodes: a conversion to an element type, and the sum of all elements.
inline Message cast(const std::string& from, const std::string& to, int type) {
  return node("Cast", {from}, to).nested(5, attribute("to", static_cast<int64_t>(type)));
}
inline Message sum(const std::string& from, const std::string& to) {
  return node("ReduceSum", {from}, to).nested(5, attribute("keepdims", int64_t{0}));
}

}  // namespace cutset::onnx
