// SPDX-License-Identifier: Apache-2.0
// Compiles a graph for a test of its program or of the error message.
#pragma once
#include <cutset/cutset.h>
#include <gtest/gtest.h>

#include <string>

#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/configure.h"
#include "runtime/program/check/check_program.h"

namespace cutset::testing {

// Returns the program of the graph. Also expects that the check of saved programs accepts the program.
inline Program compiled(const Graph& graph, const std::string& strategy,
                        const std::string& devices = "reference:0") {
  const CompileConfig config = check(configure({.devices = devices, .strategy = strategy}));
  Program program = check(graph.state()->builder->snapshot()->compile(config)).program;
  EXPECT_TRUE(check_program(program).ok()) << check_program(program).error().what;
  return program;
}

// Returns the message of the error with which the compiler refuses the graph, or "accepted".
inline std::string refusal_of(const Graph& graph, const CompileOptions& options) {
  try {
    compile(graph, options);
    return "accepted";
  } catch (const Error& e) {
    return e.what();
  }
}

}  // namespace cutset::testing
