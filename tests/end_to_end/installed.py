#!/usr/bin/env python3
"""Installed, found with find_package(cutset): a ten-line program and a graph test of it build and run outside
the tree."""
import os
import shutil
import subprocess
import sys
import tempfile

source, build = map(os.path.abspath, sys.argv[1:3])
compiler = sys.argv[3]
PROGRAM = """#include <cstdio>
#include "model.h"
int main() {
  auto session = cutset::compile(model(8), {.devices = "reference:0,sim:0", .strategy = "data(2)"});
  for (int step = 0; step < 30; ++step) std::printf("%f\\n", session.run("train", batch(8))["loss"].item<double>());
}
"""
MODEL = """#include <cutset/cutset.h>
inline cutset::Graph model(int64_t n) {
  using namespace cutset;
  Graph g(1);
  Tensor x = g.input("x", f32, {n, 6}), y = g.input("y", i32, {n});
  g.minimize(mean(softmax_cross_entropy(nn::dense(g, "out", tanh(nn::dense(g, "in", x, 16)), 3), y)), {.learning_rate = 0.5, .momentum = 0.9});
  return g;
}
inline cutset::Batch batch(int64_t n) {
  cutset::Batch b{{"x", cutset::HostTensor({cutset::f32, {n, 6}})}, {"y", cutset::HostTensor({cutset::i32, {n}})}};
  for (int64_t i = 0; i < n * 6; ++i) b["x"].as<float>()[i] = static_cast<float>(i * i % 7) / 7;
  for (int64_t i = 0; i < n; ++i) b["y"].as<int32_t>()[i] = static_cast<int32_t>(i % 3);
  return b;
}
"""
TEST = """#include <cutset/testing.h>
#include "model.h"
struct Model : cutset::testing::PerBackend {};
CUTSET_INSTANTIATE_PER_BACKEND(Model);
TEST_P(Model, IsTheSameAsOnOneDevice) {
  EXPECT_SAME_ON(model(9), device(), "");
  EXPECT_SAME_ON(model(9), device() + ",sim:1", "data(2, shares=2:1)");
}
TEST(Model, HasGradients) { EXPECT_GRADIENTS(model(5)); }
TEST(Model, SendsItsBatch) {
  auto session = cutset::compile(model(9), {.devices = "reference:0,sim:0", .strategy = "data(2, shares=2:1)"});
  EXPECT_CUT(session, "host", "sim:0", 3 * (6 + 1) * 4);
  EXPECT_FALSE(cutset::testing::cut_is(session, "host", "sim:0", 1));
}
"""
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(cutset 0.1 REQUIRED)
find_package(GTest REQUIRED)
add_executable(program program.cc)
target_link_libraries(program PRIVATE cutset::cutset)
add_executable(model_test model_test.cc)
target_link_libraries(model_test PRIVATE cutset::cutset GTest::gtest_main)
"""
folder = tempfile.mkdtemp(prefix="cutset-installed-")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


try:
    run("cmake", "--install", build, "--prefix", f"{folder}/prefix")
    os.makedirs(f"{folder}/user")
    for name, text in (("program.cc", PROGRAM), ("model.h", MODEL), ("model_test.cc", TEST), ("CMakeLists.txt", CMAKE)):
        open(f"{folder}/user/{name}", "w").write(text)
    run("cmake", "-G", "Ninja", "-S", f"{folder}/user", "-B", f"{folder}/build", f"-DCMAKE_PREFIX_PATH={folder}/prefix", f"-DCMAKE_CXX_COMPILER={compiler}")
    run("cmake", "--build", f"{folder}/build")
    losses = [float(line) for line in run(f"{folder}/build/program").split()]
    assert len(losses) == 30 and losses[-1] < 0.5 * losses[0], losses
    tests = run(f"{folder}/build/model_test")
    assert "[  PASSED  ]" in tests and "Backends/Model.IsTheSameAsOnOneDevice/reference" in tests, tests
    devices = run(f"{folder}/prefix/bin/cutset", "devices")
    assert "reference:0" in devices, devices
    print(f"losses {losses[0]:.3f} to {losses[-1]:.3f}; {tests.count('[       OK ]')} graph tests")
finally:
    shutil.rmtree(folder, ignore_errors=True)
