// Tables of mistakes that users of the C++ API make. Each says what becomes of it: a cutset::Error with some text, at
// the line of the mistake or without a line, or nothing, because it is right. Anything else is a failure of the test:
// no error, an error with other words, another exception, a crash.
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
  kHere,  // of this row
  kNone,  // it is about a file or a name, or there is no call to speak of
  kAny,   // of an op, wherever that was made
};

struct Mistake {
  int line;
  const char* name;
  Line where;
  const char* error;  // null: there is none
  const char* why;    // it is right
  std::function<void()> make;
};

// The rows are in the order of their lines.
#define ERROR_HERE(name, text, ...) {__LINE__, name, Line::kHere, text, nullptr, [] __VA_ARGS__}
#define ERROR_IN_GRAPH(name, text, ...) {__LINE__, name, Line::kAny, text, nullptr, [] __VA_ARGS__}
#define ERROR_WITHOUT_LINE(name, text, ...) {__LINE__, name, Line::kNone, text, nullptr, [] __VA_ARGS__}
#define FINE(name, why, ...) {__LINE__, name, Line::kNone, nullptr, why, [] __VA_ARGS__}

// The table is no argument of a macro, because compilers would take the line where that ends for all of its rows.
inline void check(const char* file, const std::vector<Mistake>& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const Mistake& m = rows[i];
    // Of a row of several lines, compilers take the first or the last one.
    const int after = i > 0 ? rows[i - 1].line : 0, before = i + 1 < rows.size() ? rows[i + 1].line : INT_MAX;
    std::string got = "no error", where;
    try {
      m.make();
    } catch (const Error& e) {
      got = e.what(), where = e.where();
    } catch (const std::exception& e) {
      got = std::string("an exception that is no cutset::Error: ") + e.what();
    }
    ::testing::ScopedTrace trace(file, m.line, m.name);
    if (!m.error) {
      EXPECT_EQ(got, "no error") << "it is right: " << m.why;
      continue;
    }
    EXPECT_NE(got.find(m.error), std::string::npos) << got;
    if (m.where == Line::kNone) continue;
    EXPECT_NE(where, "");
    if (m.where == Line::kAny) continue;
    const std::string full = file, stem = full.substr(full.find_last_of('/') + 1) + ":";
    const int line = where.compare(0, stem.size(), stem) == 0 ? std::atoi(where.c_str() + stem.size()) : 0;
    EXPECT_TRUE(line > after && line < before) << "where is '" << where << "'";
  }
}

// --- what the tables are about

inline Graph small(int64_t batch = 4) {
  Graph g;
  Tensor x = g.input("x", f32, {batch, 6}), y = g.input("y", i32, {batch});
  Tensor logits = nn::dense(g, "a", x, 3);
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
// On the reference device, which every build has.
inline Session session_of(const Graph& g) { return compile(g, {.devices = "reference:0"}); }

}  // namespace cutset::mistakes
