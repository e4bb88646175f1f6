// SPDX-License-Identifier: Apache-2.0
// Tables of mistakes that users of the C++ API make. Each row has the expected outcome:
// - a cutset::Error that contains a text and names the line of the mistake,
// - an error without a line, or
// - no error, because the code is correct.
//
// The test fails on any other outcome: no error, an error with another text, another exception, or a crash.
#pragma once
#include <cutset/cutset.h>
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace cutset::mistakes {

enum class Line {
  kHere,  // the line of this row
  kNone,  // no line is checked, because the error is about a file, a name or an option
  kAny,   // the line of some op
};

struct Mistake {
  int line;                    // the line of the row
  const char* name;            // the mistake
  Line source;                 // the line that the error must name
  const char* error;           // a part of the error's text; null: there must be no error
  const char* why;             // if there must be no error: the reason why the code is correct
  std::function<void()> make;  // makes the mistake
};

// Macros for the rows of a table. The rows must be in the order of their lines.
#define ERROR_HERE(name, text, ...) {__LINE__, name, Line::kHere, text, nullptr, [] __VA_ARGS__}
#define ERROR_IN_GRAPH(name, text, ...) {__LINE__, name, Line::kAny, text, nullptr, [] __VA_ARGS__}
#define ERROR_WITHOUT_LINE(name, text, ...) {__LINE__, name, Line::kNone, text, nullptr, [] __VA_ARGS__}
#define FINE(name, why, ...) {__LINE__, name, Line::kNone, nullptr, why, [] __VA_ARGS__}

// Runs all rows of a table. The table is an argument of a function, because __LINE__ would be the same for
// all rows in an argument of a macro.
inline void check(const char* file, const std::vector<Mistake>& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const Mistake& m = rows[i];
    // For a row of several lines, __LINE__ is the first or the last line, depending on the compiler.
    const int after = i > 0 ? rows[i - 1].line : 0, before = i + 1 < rows.size() ? rows[i + 1].line : INT_MAX;
    std::string got = "no error", where;
    try {
      m.make();
    } catch (const Error& e) {
      got = e.what();
      where = e.source();
    } catch (const std::exception& e) {
      got = std::string("an exception that is not a cutset::Error: ") + e.what();
    }
    ::testing::ScopedTrace trace(file, m.line, m.name);
    if (!m.error) {
      EXPECT_EQ(got, "no error") << "the code is correct: " << m.why;
      continue;
    }
    EXPECT_NE(got.find(m.error), std::string::npos) << got;
    if (m.source == Line::kNone) continue;
    EXPECT_NE(where, "");
    if (m.source == Line::kAny) continue;
    const std::string full = file, stem = full.substr(full.find_last_of('/') + 1) + ":";
    const int line = where.compare(0, stem.size(), stem) == 0 ? std::atoi(where.c_str() + stem.size()) : 0;
    EXPECT_TRUE(line > after && line < before) << "the error names '" << where << "'";
  }
}

// --- the small model and the batches that the tables use

inline Graph small(int64_t batch = 4) {
  Graph g;
  Tensor x = g.input("x", f32, {batch, 6}), y = g.input("y", i32, {batch});
  Tensor logits = nn::dense("a", x, 3);
  g.output("logits", logits);
  g.minimize(mean(softmax_cross_entropy(logits, y)), {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}
inline HostTensor filled(const TensorType& type, double value) {
  HostTensor t(type);
  for (int64_t i = 0; i < type.elements(); ++i) t.set(i, value);
  return t;
}
inline Batch batch_of(const std::string& name, const TensorType& type, double value = 1) {
  Batch b;
  b.emplace(name, filled(type, value));
  return b;
}
inline Batch small_batch(int64_t batch = 4) {
  Batch b = batch_of("x", {f32, {batch, 6}}, 0.5);
  b.emplace("y", filled({i32, {batch}}, 1));
  return b;
}
// Compiles for the reference device, which every build has.
inline Session session_of(const Graph& g) { return compile(g, {.devices = "reference:0"}); }
// Compiles, and throws the notes of the compilation as an error, so that a row can expect a note or no note.
inline void throw_notes(const Graph& g, CompileOptions options = {.devices = "reference:0"}) {
  std::string notes;
  options.on_note = [&](const std::string& note) { notes += note + "\n"; };
  compile(g, options);
  if (!notes.empty()) throw Error(ErrorCode::kInvalidArgument, notes, "", "");
}

}  // namespace cutset::mistakes
