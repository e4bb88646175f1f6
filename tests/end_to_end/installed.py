#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests an installed Cutset, which projects find with find_package(cutset). A user's program, a test of a
graph, the program of the README and the project of docs/testing.md are built and run. A backend is built
against the installed headers and is found at run time."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import readme

source, build = map(os.path.abspath, sys.argv[1:3])
compiler = sys.argv[3]
PROGRAM = """#include <cstdio>
#include "model.h"
int main() {
  auto session = cutset::compile(model(8), {.devices = "reference:0,sim:0", .strategy = "data(2)"});
  for (int step = 0; step < 30; ++step) std::printf("%f\\n", session.train(batch(8))["loss"].item<double>());
}
"""
MODEL = """#include <cutset/cutset.h>
inline cutset::Graph model(int64_t n) {
  using namespace cutset;
  Graph g(1);
  Tensor x = g.input("x", f32, {n, 6}), y = g.input("y", i32, {n});
  g.minimize(mean(softmax_cross_entropy(nn::dense("out", tanh(nn::dense("in", x, 16)), 3), y)), {.learning_rate = 0.5, .momentum = 0.9});
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
  EXPECT_BYTES_SENT(session, "host", "sim:0", 3 * (6 + 1) * 4);
  EXPECT_FALSE(cutset::testing::bytes_sent(session, "host", "sim:0", 1));
}
"""
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C CXX)
find_package(cutset 0.1 REQUIRED)
find_package(GTest REQUIRED)
add_executable(program program.cc)
target_link_libraries(program PRIVATE cutset::cutset)
add_executable(model_test model_test.cc)
target_link_libraries(model_test PRIVATE cutset::cutset_testing GTest::gtest_main)
add_library(cutset_device_mine MODULE backend.cc)
target_link_libraries(cutset_device_mine PRIVATE cutset::cutset_runtime)
add_executable(on_mine on_mine.cc)
target_link_libraries(on_mine PRIVATE cutset::cutset)
"""
# A backend for a new kind of device: it has two kernels of its own, one of which reads attributes, and the
# reference kernels for all other ops.
BACKEND = """#include <cmath>
#include <cstdio>
#include "ir/structural/scale/scale_attrs.h"
#include "runtime/abi/host_device.h"
#include "runtime/abi/kernel.h"
#include "runtime/abi/reference_kernel.h"
namespace {
using namespace cutset;
int64_t elements(const abi::Problem& p) {
  int64_t n = 1;
  for (int64_t d : p.out_shape(0)) n *= d;
  return n;
}
struct Unary : abi::NoScratch {
  static std::string supports(const cutset_device_info&, const abi::Problem& p) { return p.only_f32(); }
  explicit Unary(const abi::Problem& p) : n(elements(p)) {}
  static const float* x(const abi::Operands& at) { return static_cast<const float*>(abi::address(at.in[0])); }
  static float* y(const abi::Operands& at) { return static_cast<float*>(abi::address(at.out[0])); }
  int64_t n;
};
struct Tanh : Unary {
  Tanh(cutset_device, const abi::Problem& p) : Unary(p) {}
  void enqueue(cutset_queue, const abi::Operands& at) {
    for (int64_t i = 0; i < n; ++i) y(at)[i] = std::tanh(x(at)[i]);
  }
};
struct Scale : Unary {
  double factor;
  Scale(cutset_device, const abi::Problem& p) : Unary(p), factor(p.attributes<ScaleAttrs>().factor) {}
  void enqueue(cutset_queue, const abi::Operands& at) {
    for (int64_t i = 0; i < n; ++i) y(at)[i] = static_cast<float>(factor * x(at)[i]);
  }
};
const cutset_error* describe(cutset_device_info* info) {
  info->threads = 1, info->flops_per_second = 1e9, info->bytes_per_second = 1e9, info->link_bytes_per_second = 1e9;
  info->alignment = abi::kHostAlignment;
  std::snprintf(info->description, sizeof info->description, "a device built outside the tree");
  return nullptr;
}
const cutset_error* available(const cutset_device_info*) { return nullptr; }
}  // namespace
extern "C" __attribute__((visibility("default"))) const cutset_backend* cutset_backend_open(uint32_t abi) {
  static const std::vector<const cutset_kernel*> kernels = [] {
    static abi::KernelTable table;
    table.add<Tanh>("tanh", "tanh.mine");
    table.add<Scale>("scale", "scale.mine");
    table.add(abi::reference_kernels());
    return table.kernels();
  }();
  static const cutset_backend backend = abi::host_backend("mine", "mine", kernels, describe, available);
  return abi == CUTSET_DEVICE_ABI ? &backend : nullptr;
}
"""
ON_MINE = """#include <cstdio>
#include <cutset/verify.h>
#include "model.h"
int main() {
  const cutset::Batch batches[] = {batch(8)};
  const auto r = cutset::verify(model(8), {.devices = "mine:0,reference:0", .strategy = "data(2)"}, batches);
  auto session = cutset::compile(model(8), {.devices = "mine:0"});
  std::printf("%s%s\\n%s", r.same ? "same" : "differs: ", r.first.c_str(), session.log("dispatch").c_str());
  return r.same ? 0 : 1;
}
"""
folder = tempfile.mkdtemp(prefix="cutset-installed-")


def run(*command, **variables):
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder,
                          env={**os.environ, **variables})
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def build_project(project, into):
    run("cmake", "-G", "Ninja", "-S", f"{folder}/{project}", "-B", f"{folder}/{into}",
        f"-DCMAKE_PREFIX_PATH={folder}/prefix", f"-DCMAKE_CXX_COMPILER={compiler}")
    run("cmake", "--build", f"{folder}/{into}")


try:
    run("cmake", "--install", build, "--prefix", f"{folder}/prefix")
    os.makedirs(f"{folder}/user")
    for name, text in (("program.cc", PROGRAM), ("model.h", MODEL), ("model_test.cc", TEST),
                       ("CMakeLists.txt", CMAKE), ("backend.cc", BACKEND), ("on_mine.cc", ON_MINE)):
        open(f"{folder}/user/{name}", "w").write(text)
    build_project("user", "build")
    losses = [float(line) for line in run(f"{folder}/build/program").split()]
    assert len(losses) == 30 and losses[-1] < 0.5 * losses[0], losses
    tests = run(f"{folder}/build/model_test")
    assert "[  PASSED  ]" in tests and "Backends/Model.IsTheSameAsOnOneDevice/reference" in tests, tests
    devices = run(f"{folder}/prefix/bin/cutset", "devices")
    assert "reference:0" in devices, devices

    mine = run(f"{folder}/build/on_mine", CUTSET_BACKEND_PATH=f"{folder}/build")
    assert mine.startswith("same\n") and "tanh.mine" in mine and "tanh.reference" not in mine, mine
    assert "mine:0" in run(f"{folder}/prefix/bin/cutset", "devices", CUTSET_BACKEND_PATH=f"{folder}/build")

    os.makedirs(f"{folder}/pages")
    lists, test = readme.project(source)
    for name, text in (("lenet.cc", readme.program(source)), ("CMakeLists.txt", lists),
                       ("model_test.cc", test)):
        open(f"{folder}/pages/{name}", "w").write(text)
    build_project("pages", "pages-build")
    passed = run(f"{folder}/pages-build/model_test")
    assert "[  PASSED  ]" in passed and "MyModel.HasGradients" in passed and passed.count(
        "IsTheSameAsOnOneDevice") > 2, passed
    assert glob.glob(f"{folder}/prefix/**/LICENSE", recursive=True), "the licence is not installed"
    print(f"losses {losses[0]:.3f} to {losses[-1]:.3f}; {tests.count('[       OK ]')} graph tests")
finally:
    shutil.rmtree(folder, ignore_errors=True)
