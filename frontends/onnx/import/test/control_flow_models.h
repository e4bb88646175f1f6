// SPDX-License-Identifier: Apache-2.0
// Models with If, Loop and Scan for tests, and runs of them.
#pragma once
#include <cutset/onnx.h>
#include <cutset/session.h>

#include <string>
#include <vector>

#include "frontends/onnx/import/test/model_bytes.h"
#include "tests/errors.h"

namespace cutset::onnx {

inline Message with(Message n, const std::vector<Message>& attributes) {
  for (const Message& a : attributes) n.nested(5, a);
  return n;
}
inline Message loop(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                    const Message& body) {
  return with(node("Loop", inputs, outputs), {attribute("body", body)}).text(3, "steps");
}
inline Message scan(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                    const Message& body, std::vector<Message> attributes = {}, int64_t scanned = 1) {
  attributes.insert(attributes.begin(), {attribute("body", body), attribute("num_scan_inputs", scanned)});
  return with(node("Scan", inputs, outputs), attributes).text(3, "steps");
}
inline Message branches(const std::string& condition, const std::string& output, const Message& yes,
                        const Message& no) {
  return with(node("If", {condition}, output), {attribute("then_branch", yes), attribute("else_branch", no)})
      .text(3, "choice");
}
// Returns a body without inputs.
inline Message branch(const std::vector<Message>& nodes, const std::string& output) {
  return graph(nodes, {}, {value(output)});
}

inline HostTensor run(const Model& m, const std::vector<float>& x) {
  Session session = compile(m.graph, {.devices = "reference:0"});
  return session.run("evaluate", {{"x", HostTensor(m.inputs.at("x").shape(), x)}})["y"];
}
inline HostTensor run(const Message& m, const std::vector<float>& x) {
  return run(import_model(bytes_of(m)), x);
}
inline std::vector<float> values(const HostTensor& t) { return {t.as<float>().begin(), t.as<float>().end()}; }
inline std::string error_of_model(const Message& m) {
  return testing::error_of([&] { import_model(bytes_of(m)); });
}

// Returns a body of v = 2 v + i that collects the values of v. It reads 'two' of the graph around it.
inline Message doubling(const std::vector<Message>& more = {}) {
  std::vector<Message> nodes = {node("Mul", {"v", "two"}, "d"),
                                node("Cast", {"i"}, "f").nested(5, attribute("to", int64_t{1})),
                                node("Add", {"d", "f"}, "next"), node("Identity", {"go"}, "on")};
  nodes.insert(nodes.end(), more.begin(), more.end());
  return graph(nodes, {value("i"), value("go"), value("v")},
               {value("on"), value("next"), value("next", {2})});
}

}  // namespace cutset::onnx
