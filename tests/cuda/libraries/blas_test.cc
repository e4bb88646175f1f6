// SPDX-License-Identifier: Apache-2.0
// Tests of the double of cuBLASLt.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "backends/cuda/blas/blas_api.h"
#include "backends/cuda/blas/epilogue.h"
#include "tests/cuda/testing.h"

namespace cutset::cuda::doubles {
namespace {

constexpr unsigned long long kSeeds = 12;
constexpr uint64_t kWorkspace = 1 << 20;

// A row-major matrix in a batch. cuBLASLt reads it as a matrix with `columns` rows that is stored by columns.
struct Matrix {
  uint64_t rows, columns;
  int32_t batch = 1;
  int64_t batch_stride = 0;
  int64_t leading = 0;  // 0: columns
};

class BlasDouble : public testing::Test, protected Doubles {
 protected:
  BlasDouble() {
    blas = functions_of<BlasApi>(open_double(double_of("blas").c_str()));
    const Variable named = name_driver();
    succeed(blas.create(&handle));
    succeed(blas.make_product(&product, kBlasComputeFloat, kBlasFloat));
    succeed(blas.make_preference(&preference));
    expect(driver.make_stream(&stream, kStreamNonBlocking));
  }
  ~BlasDouble() override {
    set_seed(0);
    driver.release_stream(stream);
    for (BlasLayout layout : layouts) blas.release_layout(layout);
    blas.release_preference(preference);
    blas.release_product(product);
    blas.release(handle);
  }

  static void succeed(BlasStatus status) {
    if (status != BlasStatus::kSuccess)
      throw std::runtime_error("a call of cuBLASLt has failed with status " +
                               std::to_string(static_cast<int>(status)));
  }
  BlasLayout layout(const Matrix& m, int type = kBlasFloat) {
    BlasLayout layout = nullptr;
    const int64_t leading = m.leading ? m.leading : static_cast<int64_t>(m.columns);
    succeed(blas.make_layout(&layout, type, m.columns, m.rows, leading));
    layouts.push_back(layout);
    succeed(blas.set_layout(layout, BlasLayoutAttribute::kBatchCount, &m.batch, sizeof m.batch));
    succeed(
        blas.set_layout(layout, BlasLayoutAttribute::kBatchStride, &m.batch_stride, sizeof m.batch_stride));
    return layout;
  }
  template <class Value>
  void prefer(BlasPreferenceAttribute attribute, Value value) {
    succeed(blas.set_preference(preference, attribute, &value, sizeof value));
  }
  template <class Value>
  BlasStatus set(BlasProductAttribute attribute, Value value) {
    return blas.set_product(product, attribute, &value, sizeof value);
  }
  void set_bias(Address bias) {
    succeed(set(BlasProductAttribute::kBias, reinterpret_cast<const void*>(bias)));
  }
  BlasStatus choose(BlasLayout a, BlasLayout b, BlasLayout d) {
    int count = 0;
    const BlasStatus status =
        blas.find_algorithms(handle, product, a, b, d, d, preference, 1, &chosen, &count);
    EXPECT_EQ(count, status == BlasStatus::kSuccess ? 1 : 0);
    return status;
  }
  // Computes d = a * b for operands as cuBLASLt reads them.
  BlasStatus multiply(Address a, BlasLayout a_layout, Address b, BlasLayout b_layout, Address d,
                      BlasLayout d_layout, Address workspace = 0, size_t workspace_bytes = 0) {
    const float one = 1, zero = 0;
    return blas.multiply(handle, product, &one, reinterpret_cast<void*>(a), a_layout,
                         reinterpret_cast<void*>(b), b_layout, &zero, reinterpret_cast<void*>(d), d_layout,
                         reinterpret_cast<void*>(d), d_layout, &chosen.algorithm,
                         reinterpret_cast<void*>(workspace), workspace_bytes, stream);
  }

  BlasApi blas;
  BlasHandle handle = nullptr;
  BlasProduct product = nullptr;
  BlasPreference preference = nullptr;
  BlasHeuristicResult chosen = {};
  std::vector<BlasLayout> layouts;
  Stream stream = nullptr;
};

// x has 2 rows and 3 columns, y has 3 rows and 2 columns. Row-major operands are swapped: y is the first
// operand.
const std::vector<float> kX = {1, 2, 3, 4, 5, 6}, kY = {1, 0, 2, 1, 0, 3}, kProduct = {5, 11, 14, 23};

TEST_F(BlasDouble, FillsTheWorkspaceAndMultiplies) {
  const BlasLayout x_layout = layout({2, 3}), y_layout = layout({3, 2}), z_layout = layout({2, 2});
  prefer(BlasPreferenceAttribute::kMostWorkspace, kWorkspace);
  succeed(choose(y_layout, x_layout, z_layout));
  EXPECT_EQ(chosen.workspace, kWorkspace);
  const Address x = upload(kX), y = upload(kY), z = allocate(sizeof(float) * 4),
                workspace = allocate(kWorkspace);
  for (unsigned long long seed = 0; seed < kSeeds; ++seed) {
    set_seed(seed);
    expect(driver.fill_bytes(workspace, 0, kWorkspace, stream));
    succeed(multiply(y, y_layout, x, x_layout, z, z_layout, workspace, kWorkspace));
    expect(driver.finish_stream(stream));
    EXPECT_EQ(download(z, 4), kProduct);
    EXPECT_TRUE(std::isnan(download(workspace, 1)[0]) &&
                std::isnan(download(workspace + kWorkspace - 4, 1)[0]));
  }
}

TEST_F(BlasDouble, AMissingWaitShows) {
  if (kReportsRaces) GTEST_SKIP() << "ThreadSanitizer reports the race";
  const BlasLayout x_layout = layout({2, 3}), y_layout = layout({3, 2}), z_layout = layout({2, 2});
  succeed(choose(y_layout, x_layout, z_layout));
  const size_t bytes = sizeof(float) * kX.size();
  const Address x = upload(kX), y = upload(kY), z = allocate(sizeof(float) * 4), late = allocate(bytes);
  Stream other = nullptr;
  DriverEvent copied = nullptr;
  expect(driver.make_stream(&other, kStreamNonBlocking));
  expect(driver.make_event(&copied, kEventDisableTiming));
  for (bool waits : {true, false}) {
    int wrong = 0;
    for (unsigned long long seed = 0; seed < kSeeds; ++seed) {
      set_seed(seed);
      expect(driver.fill_bytes(late, 0, bytes, other));
      expect(driver.finish_stream(other));
      expect(driver.copy_on_device(late, x, bytes, other));
      expect(driver.record_event(copied, other));
      if (waits) expect(driver.wait_for_event(stream, copied, 0));
      succeed(multiply(y, y_layout, late, x_layout, z, z_layout));
      expect(driver.finish_stream(stream));
      expect(driver.finish_stream(other));
      wrong += download(z, 4) != kProduct;
    }
    EXPECT_EQ(wrong > 0, !waits);
  }
  expect(driver.release_event(copied));
  expect(driver.release_stream(other));
}

TEST_F(BlasDouble, TransposesAndBroadcasts) {
  // The batch has two matrices x, which are stored transposed, and one y.
  const BlasLayout x_layout = layout({3, 2, 2, 6}), y_layout = layout({3, 2, 2, 0}),
                   z_layout = layout({2, 2, 2, 4});
  succeed(set(BlasProductAttribute::kTransposeB, kBlasTransposed));
  succeed(choose(y_layout, x_layout, z_layout));
  EXPECT_EQ(chosen.workspace, 0u);
  const Address x = upload<float>({1, 4, 2, 5, 3, 6, 2, 8, 4, 10, 6, 12}), y = upload(kY);
  const Address z = allocate(sizeof(float) * 8);
  succeed(multiply(y, y_layout, x, x_layout, z, z_layout));
  expect(driver.finish_stream(stream));
  EXPECT_EQ(download(z, 8), (std::vector<float>{5, 11, 14, 23, 10, 22, 28, 46}));
}

TEST_F(BlasDouble, AGraphMultipliesAgain) {
  const BlasLayout x_layout = layout({2, 3}), y_layout = layout({3, 2}), z_layout = layout({2, 2});
  succeed(choose(y_layout, x_layout, z_layout));
  const Address x = upload(kX), y = upload(kY), z = allocate(sizeof(float) * 4);
  expect(driver.begin_capture(stream, kCaptureThreadLocal));
  succeed(multiply(y, y_layout, x, x_layout, z, z_layout));
  Graph graph = nullptr;
  expect(driver.end_capture(stream, &graph));
  GraphRun run = nullptr;
  expect(driver.instantiate(&run, graph, 0));
  expect(driver.release_graph(graph));
  for (int launches = 0; launches < 3; ++launches) {
    expect(driver.fill_bytes(z, 0, sizeof(float) * 4, stream));
    expect(driver.launch_graph(run, stream));
    expect(driver.finish_stream(stream));
    EXPECT_EQ(download(z, 4), kProduct);
  }
  expect(driver.release_graph_run(run));
}

TEST_F(BlasDouble, RefusesIllegalDescriptors) {
  const BlasLayout x = layout({2, 3}), y = layout({3, 2}), z = layout({2, 2});
  EXPECT_EQ(choose(x, y, z), BlasStatus::kInvalidValue);                        // sizes that do not match
  EXPECT_EQ(choose(layout({3, 2, 2, 6}), x, z), BlasStatus::kInvalidValue);     // batches that do not match
  EXPECT_EQ(choose(layout({3, 2, 1, 0, 1}), x, z), BlasStatus::kInvalidValue);  // columns that overlap
  EXPECT_EQ(choose(layout({3, 2}, kBlasFloat + 2), x, z), BlasStatus::kNotSupported);  // another type
  EXPECT_EQ(choose(layout({3, 2, 2, 6}), layout({2, 3, 2, 6}), layout({2, 2, 2, 3})),
            BlasStatus::kInvalidValue);  // results that overlap
  EXPECT_EQ(choose(nullptr, x, z), BlasStatus::kInvalidValue);
  EXPECT_EQ(set(BlasProductAttribute::kTransposeA, int64_t{1}), BlasStatus::kInvalidValue);
  EXPECT_EQ(blas.set_layout(x, BlasLayoutAttribute::kBatchCount, nullptr, 4), BlasStatus::kInvalidValue);
  BlasProduct other = nullptr;
  succeed(blas.make_product(&other, kBlasComputeFloat + 9, kBlasFloat));  // TF32
  std::swap(other, product);
  EXPECT_EQ(choose(y, x, z), BlasStatus::kNotSupported);
  std::swap(other, product);
  succeed(blas.release_product(other));
  EXPECT_EQ(blas.release_product(other), BlasStatus::kInvalidValue);
  succeed(choose(y, x, z));
}

TEST_F(BlasDouble, RefusesIllegalCalls) {
  const BlasLayout x_layout = layout({2, 3}), y_layout = layout({3, 2}), z_layout = layout({2, 2});
  const Address x = upload(kX), y = upload(kY), z = allocate(sizeof(float) * 4),
                workspace = allocate(kWorkspace);
  EXPECT_EQ(multiply(y, y_layout, x, x_layout, z, z_layout),
            BlasStatus::kInvalidValue);  // no algorithm was chosen
  prefer(BlasPreferenceAttribute::kMostWorkspace, kWorkspace);
  succeed(choose(y_layout, x_layout, z_layout));
  EXPECT_EQ(multiply(y, y_layout, x, x_layout, z, z_layout), BlasStatus::kInvalidValue);
  EXPECT_EQ(multiply(y, y_layout, x, x_layout, z, z_layout, workspace, kWorkspace - 1),
            BlasStatus::kInvalidValue);
  EXPECT_EQ(multiply(y, y_layout, x, x_layout, z, z_layout, workspace + 4, kWorkspace),
            BlasStatus::kInvalidValue);
  // A matrix x with one row begins 12 bytes after the start of the tensor.
  const BlasLayout row = layout({1, 3}), row_of_z = layout({1, 2});
  EXPECT_EQ(multiply(y, y_layout, x, row, z, row_of_z, workspace, kWorkspace), BlasStatus::kInvalidValue);
  succeed(choose(y_layout, row, row_of_z));
  EXPECT_EQ(multiply(y, y_layout, x + 12, row, z, row_of_z, workspace, kWorkspace),
            BlasStatus::kInvalidValue);
  prefer(BlasPreferenceAttribute::kAlignmentB, uint32_t{4});
  succeed(choose(y_layout, row, row_of_z));
  succeed(multiply(y, y_layout, x + 12, row, z, row_of_z, workspace, kWorkspace));
  expect(driver.finish_stream(stream));
  EXPECT_EQ(download(z, 2), (std::vector<float>{14, 23}));
}

// The products of the tests below are {5, 11} and {14, 23}. A bias of column n is added to both elements n.
TEST_F(BlasDouble, ComputesEpilogues) {
  const BlasLayout x_layout = layout({2, 3}), y_layout = layout({3, 2}), z_layout = layout({2, 2});
  const Address x = upload(kX), y = upload(kY), z = allocate(sizeof(float) * 4),
                bias = upload<float>({-14, 1});
  const std::pair<BlasEpilogue, std::vector<float>> cases[] = {{BlasEpilogue::kNone, {5, 11, 14, 23}},
                                                               {BlasEpilogue::kBias, {-9, 12, 0, 24}}};
  set_bias(bias);
  for (const auto& [epilogue, result] : cases) {
    succeed(set(BlasProductAttribute::kEpilogue, epilogue));
    succeed(choose(y_layout, x_layout, z_layout));
    succeed(multiply(y, y_layout, x, x_layout, z, z_layout));
    expect(driver.finish_stream(stream));
    EXPECT_EQ(download(z, 4), result) << static_cast<uint32_t>(epilogue);
  }
}

TEST_F(BlasDouble, AllMatricesOfABatchHaveTheSameBias) {
  const BlasLayout x_layout = layout({2, 3, 2, 0}), y_layout = layout({3, 2, 2, 0}),
                   z_layout = layout({2, 2, 2, 4});
  const Address x = upload(kX), y = upload(kY), z = allocate(sizeof(float) * 8);
  succeed(set(BlasProductAttribute::kEpilogue, BlasEpilogue::kBias));
  set_bias(upload<float>({100, 200}));
  succeed(choose(y_layout, x_layout, z_layout));
  succeed(multiply(y, y_layout, x, x_layout, z, z_layout));
  expect(driver.finish_stream(stream));
  EXPECT_EQ(download(z, 8), (std::vector<float>{105, 211, 114, 223, 105, 211, 114, 223}));
}

// A product keeps the address that the descriptor had for the bias when the product was enqueued. It reads
// the bias when it runs.
TEST_F(BlasDouble, ABiasIsReadWhenTheProductRuns) {
  const BlasLayout x_layout = layout({2, 3}), y_layout = layout({3, 2}), z_layout = layout({2, 2});
  const Address x = upload(kX), y = upload(kY), first = allocate(sizeof(float) * 4),
                second = allocate(sizeof(float) * 4);
  const Address ones = upload<float>({1, 1}), thousands = upload<float>({1000, 2000});
  succeed(set(BlasProductAttribute::kEpilogue, BlasEpilogue::kBias));
  set_bias(ones);
  succeed(choose(y_layout, x_layout, z_layout));
  set_seed(1);  // commands run as late as possible
  const Address late = allocate(sizeof(float) * 2);
  expect(driver.copy_on_device(late, thousands, sizeof(float) * 2, stream));
  set_bias(late);
  succeed(multiply(y, y_layout, x, x_layout, first, z_layout));
  set_bias(ones);
  succeed(multiply(y, y_layout, x, x_layout, second, z_layout));
  set_bias(thousands);
  expect(driver.finish_stream(stream));
  EXPECT_EQ(download(first, 4), (std::vector<float>{1005, 2011, 1014, 2023}));
  EXPECT_EQ(download(second, 4), (std::vector<float>{6, 12, 15, 24}));
}

TEST_F(BlasDouble, RefusesIllegalEpilogues) {
  const BlasLayout x_layout = layout({2, 3}), y_layout = layout({3, 2}), z_layout = layout({2, 2});
  const Address x = upload(kX), y = upload(kY), z = allocate(sizeof(float) * 4), bias = upload(kX);
  EXPECT_EQ(set(BlasProductAttribute::kEpilogue, uint32_t{0}), BlasStatus::kInvalidValue);
  EXPECT_EQ(set(BlasProductAttribute::kEpilogue, uint32_t{2}), BlasStatus::kInvalidValue);  // relu
  EXPECT_EQ(set(BlasProductAttribute::kEpilogue, uint64_t{2}), BlasStatus::kInvalidValue);
  EXPECT_EQ(set(BlasProductAttribute::kBias, int32_t{1}), BlasStatus::kInvalidValue);
  const auto multiply_now = [&] { return multiply(y, y_layout, x, x_layout, z, z_layout); };
  succeed(set(BlasProductAttribute::kEpilogue, BlasEpilogue::kBias));
  set_bias(0);
  EXPECT_EQ(choose(y_layout, x_layout, z_layout), BlasStatus::kInvalidValue);
  set_bias(bias);
  succeed(choose(y_layout, x_layout, z_layout));
  set_bias(0);
  EXPECT_EQ(multiply_now(), BlasStatus::kInvalidValue);
  set_bias(bias + sizeof(float));  // the algorithm was chosen for a larger alignment
  EXPECT_EQ(multiply_now(), BlasStatus::kInvalidValue);
  set_bias(bias);
  succeed(multiply_now());
  succeed(set(BlasProductAttribute::kEpilogue,
              BlasEpilogue::kNone));  // the algorithm was chosen for another epilogue
  EXPECT_EQ(multiply_now(), BlasStatus::kInvalidValue);
  expect(driver.finish_stream(stream));
}

TEST(BlasEpilogue, RefusesABiasPerRowAndRelu) {
  using Bias = portable::Gemm::Bias;
  const auto of = [](Bias bias, bool relu) {
    portable::Gemm g;
    g.bias = bias;
    g.relu = relu;
    return epilogue_of(g);
  };
  EXPECT_EQ(of(Bias::kNone, false), BlasEpilogue::kNone);
  EXPECT_EQ(of(Bias::kOfColumn, false), BlasEpilogue::kBias);
  for (const auto& [bias, relu] :
       {std::pair(Bias::kOfRow, false), std::pair(Bias::kNone, true), std::pair(Bias::kOfColumn, true)})
    try {
      of(bias, relu);
      ADD_FAILURE() << "bias " << static_cast<int>(bias) << " and relu " << relu << " were accepted";
    } catch (const abi::Exception& e) {
      EXPECT_EQ(e.code(), CUTSET_UNSUPPORTED);
    }
}

TEST_F(BlasDouble, AHandleNeedsAContext) {
  Context popped = nullptr;
  expect(driver.pop_context(&popped));
  BlasHandle none = nullptr;
  EXPECT_EQ(blas.create(&none), BlasStatus::kNotInitialized);
  expect(driver.push_context(popped));
}

}  // namespace
}  // namespace cutset::cuda::doubles
