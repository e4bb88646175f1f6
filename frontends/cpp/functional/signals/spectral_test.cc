// SPDX-License-Identifier: Apache-2.0
// Tests <cutset/spectral.h> and <cutset/signal_windows.h>: transforms against sums in f64, gradients, and
// errors.
#include <cutset/onnx_ops/signal_windows.h>
#include <cutset/signal_windows.h>
#include <cutset/spectral.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <cmath>
#include <complex>

#include "tests/compositions.h"
#include "tests/errors.h"

namespace cutset {
namespace {

using ::testing::DoubleNear;
using testing::elements;
using ::testing::ElementsAre;
using ::testing::Pointwise;
using Signal = std::vector<std::complex<double>>;

HostTensor numbers(DType type, const Shape& shape) {
  HostTensor t({type, shape});
  for (int64_t i = 0; i < t.elements(); ++i) t.set(i, std::sin(static_cast<double>(i * i + 3 * i + 1)));
  return t;
}
auto near(const std::vector<double>& expected, double bound) {
  return Pointwise(DoubleNear(bound), expected);
}

// Computes the transform by its definition, of a signal that is cut or padded to the length n.
Signal by_sums(Signal x, size_t n, bool inverse) {
  x.resize(n);
  Signal roots, y;
  for (size_t j = 0; j < n; ++j)
    roots.push_back(
        std::polar(1.0, (inverse ? 2 : -2) * M_PI * static_cast<double>(j) / static_cast<double>(n)));
  for (size_t k = 0; k < n; ++k) {
    double real = 0,
           imaginary = 0;  // the operators of std::complex take most of the time if they are not optimized
    for (size_t j = 0, r = 0; j < n; ++j, r = (r + k) % n) {
      const double a = x[j].real(), b = x[j].imag(), c = roots[r].real(), d = roots[r].imag();
      real += a * c - b * d;
      imaginary += a * d + b * c;
    }
    y.push_back(std::complex(real, imaginary) / (inverse ? static_cast<double>(n) : 1.0));
  }
  return y;
}
std::vector<double> parts_of(const Signal& y) {
  std::vector<double> all;
  for (const auto& v : y) {
    all.push_back(v.real());
    all.push_back(v.imag());
  }
  return all;
}
std::vector<double> transformed(const std::string& device, const HostTensor& x, const DftOptions& o) {
  return elements(testing::evaluated(device, {x}, [&](const auto& in) { return dft(in[0], o); }));
}

struct Spectra : testing::PerBackend {};
CUTSET_INSTANTIATE_PER_BACKEND(Spectra);

// Lengths that are one product, primes, and lengths that are divided once and several times.
TEST_P(Spectra, OfSignalsOfOneDimension) {
  for (const int64_t n : {1, 2, 3, 7, 64, 66, 128, 211, 30 * 7 * 11, 4096}) {
    for (const bool is_complex : {false, true})
      for (const bool inverse : {false, true}) {
        const HostTensor x = numbers(f32, {n, is_complex ? 2 : 1});
        Signal held;
        for (int64_t i = 0; i < n; ++i)
          held.push_back(is_complex ? std::complex(x.at(2 * i), x.at(2 * i + 1))
                                    : std::complex(x.at(i), 0.0));
        EXPECT_THAT(transformed(device(), x, {.axis = 0, .inverse = inverse}),
                    near(parts_of(by_sums(held, static_cast<size_t>(n), inverse)),
                         2e-6 * std::sqrt(static_cast<double>(n))))
            << n << (is_complex ? " complex" : " real") << (inverse ? " inverse" : "");
      }
  }
}

// In f64, the error stays at the last digits, as the angles are exact for any index.
TEST(SpectraInDouble, HaveNoErrorOfAngles) {
  for (const int64_t n : {61, 1021, 2048, 3 * 5 * 7 * 16}) {
    const HostTensor x = numbers(f64, {n, 1});
    Signal held;
    for (int64_t i = 0; i < n; ++i) held.emplace_back(x.at(i), 0.0);
    EXPECT_THAT(transformed("reference:0", x, {.axis = 0}),
                near(parts_of(by_sums(held, static_cast<size_t>(n), false)), 1e-12))
        << n;
  }
}

// Half of a spectrum is the beginning of the whole, and its inverse is the signal.
TEST_P(Spectra, OfHalfAreThoseOfRealSignals) {
  for (const int64_t n : {1, 2, 3, 8, 9, 130, 131}) {
    const HostTensor x = numbers(f32, {n, 1});
    std::vector<double> whole = transformed(device(), x, {.axis = 0});
    whole.resize(static_cast<size_t>(n / 2 + 1) * 2);
    const std::vector<double> half = transformed(device(), x, {.axis = 0, .onesided = true});
    EXPECT_THAT(half, near(whole, 0)) << n;
    HostTensor spectrum({f32, {n / 2 + 1, 2}});
    for (size_t i = 0; i < half.size(); ++i) spectrum.set(static_cast<int64_t>(i), half[i]);
    EXPECT_THAT(transformed(device(), spectrum, {.axis = 0, .length = n, .inverse = true, .onesided = true}),
                near(elements(x), 2e-6))
        << n;
    if (n % 2 == 0) {
      EXPECT_THAT(transformed(device(), spectrum, {.axis = 0, .inverse = true, .onesided = true}),
                  near(elements(x), 2e-6))
          << n;
    }
  }
}

// Other dimensions are a batch, and the signal is cut or padded at its end.
TEST_P(Spectra, AlongAnAxisWithALength) {
  const HostTensor x = numbers(f32, {2, 5, 3, 2});
  for (const int64_t length : {3, 5, 8})
    for (const int64_t axis : {0, 1, -2}) {
      const int64_t size = x.shape()[static_cast<size_t>(axis < 0 ? axis + 4 : axis)];
      const int64_t inner = axis == 0 ? 15 : axis == 1 ? 3 : 1, outer = 30 / (size * inner);
      std::vector<double> want(static_cast<size_t>(outer * length * inner * 2));
      for (int64_t o = 0; o < outer; ++o)
        for (int64_t i = 0; i < inner; ++i) {
          Signal held;
          for (int64_t j = 0; j < size; ++j) {
            const int64_t at = ((o * size + j) * inner + i) * 2;
            held.emplace_back(x.at(at), x.at(at + 1));
          }
          const Signal y = by_sums(held, static_cast<size_t>(length), false);
          for (int64_t k = 0; k < length; ++k) {
            const auto at = static_cast<size_t>(((o * length + k) * inner + i) * 2);
            want[at] = y[static_cast<size_t>(k)].real();
            want[at + 1] = y[static_cast<size_t>(k)].imag();
          }
        }
      EXPECT_THAT(transformed(device(), x, {.axis = axis, .length = length}), near(want, 1e-5))
          << length << ", axis " << axis;
    }
}

TEST_P(Spectra, OfFramesAreThoseOfTheirElements) {
  const HostTensor x = numbers(f32, {2, 11, 1}), window = numbers(f32, {4});
  Graph g;
  g.output("y", stft(g.input("x", f32, {2, 11, 1}),
                     g.input("window", f32, {4}, {.batch_dimension = std::nullopt}), {.frame_step = 3}));
  g.output("z",
           stft(g.input("x2", f32, {2, 11, 1}), {}, {.frame_step = 5, .frame_length = 2, .onesided = false}));
  Session session = compile(g, {.devices = device()});
  const Outputs out = session.run("evaluate", {{"x", x}, {"x2", x}, {"window", window}});
  const HostTensor &y = out["y"], &z = out["z"];
  ASSERT_EQ(y.shape(), (Shape{2, 3, 3, 2}));
  ASSERT_EQ(z.shape(), (Shape{2, 2, 2, 2}));
  std::vector<double> windowed, plain;
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t f = 0; f < 3; ++f) {
      Signal frame;
      for (int64_t j = 0; j < 4; ++j) frame.emplace_back(x.at(b * 11 + f * 3 + j) * window.at(j), 0.0);
      Signal spectrum = by_sums(frame, 4, false);
      spectrum.resize(3);
      for (const double v : parts_of(spectrum)) windowed.push_back(v);
    }
    for (int64_t f = 0; f < 2; ++f) {
      const double first = x.at(b * 11 + f * 5), second = x.at(b * 11 + f * 5 + 1);
      for (const double v : {first + second, 0.0, first - second, 0.0}) plain.push_back(v);
    }
  }
  EXPECT_THAT(elements(y), near(windowed, 1e-6));
  EXPECT_THAT(elements(z), near(plain, 1e-6));
}

TEST(SpectraGradients, AgreeWithDifferences) {
  const auto check = [](const Shape& shape, const std::function<Tensor(const Tensor&)>& build) {
    Graph g;
    const Tensor y = build(g.variable("w", f32, shape, Initializer::uniform(-1, 1)));
    g.minimize(mean(y * y * y), {.learning_rate = 0.1});
    EXPECT_GRADIENTS(g) << to_string(shape);
  };
  check({2, 6, 2}, [](const Tensor& x) { return dft(x); });
  check({130, 1}, [](const Tensor& x) { return dft(x, {.axis = 0, .onesided = true}); });
  check({5, 2}, [](const Tensor& x) { return dft(x, {.axis = 0, .inverse = true, .onesided = true}); });
  check({2, 9, 1}, [](const Tensor& x) { return stft(x, {}, {.frame_step = 2, .frame_length = 5}); });
}

// A graph that was built for one batch size runs with another.
TEST(SpectraOfBatches, OfAnotherSize) {
  Graph g;
  g.output("y", dft(g.input("x", f32, {4, 5, 2})));
  const HostTensor x = numbers(f32, {3, 5, 2});
  const HostTensor y = compile(g, {.devices = "reference:0"}).run("evaluate", {{"x", x}})["y"];
  EXPECT_THAT(elements(y), near(transformed("reference:0", x, {}), 0));
}

std::vector<double> window_of(Tensor (*function)(Graph&, int64_t, const SignalWindowOptions&,
                                                 std::source_location),
                              int64_t size, const SignalWindowOptions& o) {
  Graph g;
  g.output("y", function(g, size, o, std::source_location::current()));
  const HostTensor y = compile(g, {.devices = "reference:0"}).run("evaluate", {})["y"];
  EXPECT_EQ(y.dtype(), o.dtype);
  return elements(y);
}

TEST(Windows, AreSumsOfCosines) {
  EXPECT_THAT(window_of(hann_window, 4, {}), near({0, 0.5, 1, 0.5}, 1e-7));
  EXPECT_THAT(window_of(hann_window, 5, {.periodic = false}), near({0, 0.5, 1, 0.5, 0}, 1e-7));
  EXPECT_THAT(window_of(hamming_window, 4, {}), near({0.08, 0.54, 1, 0.54}, 1e-7));
  EXPECT_THAT(window_of(onnx_ops::hamming_window, 4, {}), near({4. / 46, 25. / 46, 1, 25. / 46}, 1e-7));
  EXPECT_THAT(window_of(blackman_window, 4, {.dtype = f64}), near({0, 0.34, 1, 0.34}, 1e-15));
  for (const auto function : {hann_window, hamming_window, onnx_ops::hamming_window, blackman_window}) {
    EXPECT_THAT(window_of(function, 1, {.periodic = false}), near({1}, 1e-7));
    EXPECT_THAT(window_of(function, 0, {}), ElementsAre());
  }
  Graph g;
  EXPECT_ERROR_HERE("a window has the size -1", hann_window(g, -1));
  EXPECT_ERROR_HERE("a window has the size", hann_window(g, 4, {.dtype = i32}));
}

TEST(MelWeights, AreTriangles) {
  // The edges at 0, 281, 675 and 1227 Hz are the indices 0, 2, 5 and 10 of the spectrum.
  const HostTensor w =
      onnx_ops::mel_weight_matrix({.mel_bins = 2, .dft_length = 32, .sample_rate = 4000, .upper_edge = 2000});
  ASSERT_EQ(w.type(), (TensorType{f32, {17, 2}}));
  std::vector<double> want(34, 0.0);
  want[2] = 1. / 2;
  want[4] = 1;
  want[6] = 2. / 3;
  want[8] = 1. / 3;
  want[7] = 1. / 3;
  want[9] = 2. / 3;
  for (size_t j = 5; j < 10; ++j) want[2 * j + 1] = 0.2 * static_cast<double>(10 - j);
  EXPECT_THAT(elements(w), near(want, 1e-7));
}

// A filter that is narrower than the distance of two frequencies is the nearest frequency below it.
TEST(MelWeights, OfNarrowFilters) {
  const HostTensor w =
      onnx_ops::mel_weight_matrix({.mel_bins = 4, .dft_length = 4, .sample_rate = 8000, .upper_edge = 4000});
  EXPECT_THAT(elements(w), near({1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0}, 0));
}

TEST(SpectraErrors, NameTheFunctionAndAddNothing) {
  Graph g;
  const Tensor x = g.input("x", f32, {2, 6, 1}), z = g.input("z", f32, {2, 6, 2}),
               row = g.input("row", f32, {6}), three = g.input("three", f32, {2, 6, 3}),
               whole = g.input("whole", i32, {2, 6, 1}), none = g.input("none", f32, {2, 0, 1}),
               window = g.input("window", f32, {4});
  const std::string before = g.text();
  EXPECT_ERROR_HERE("dft of 2x6x3xf32 needs a floating-point type, and a last dimension of size 1 or 2",
                    dft(three));
  EXPECT_ERROR_HERE("a floating-point type", dft(whole));
  EXPECT_ERROR_HERE("a last dimension", dft(row));
  EXPECT_ERROR_HERE("an axis that is not the last dimension", dft(x, {.axis = 2}));
  EXPECT_ERROR_HERE("an axis from -3 to 2, not 3", dft(x, {.axis = 3}));
  EXPECT_ERROR_HERE("a real signal for half a spectrum", dft(z, {.onesided = true}));
  EXPECT_ERROR_HERE("prime factors of at most 1021, not 1031", dft(x, {.length = 1031}));
  EXPECT_ERROR_HERE("not 2062", dft(x, {.length = 2062}));
  EXPECT_ERROR_HERE("not 0", dft(x, {.length = 0}));
  EXPECT_ERROR_HERE("not -3", dft(x, {.length = -3}));
  EXPECT_ERROR_HERE("not 33554432", dft(x, {.length = int64_t{1} << 25}));
  EXPECT_ERROR_HERE("not 0", dft(none));
  EXPECT_ERROR_HERE("a signal of one element or more", dft(none, {.length = 4}));
  EXPECT_ERROR_HERE("a signal [batch, length, 1 or 2]", stft(row, {}, {.frame_step = 1}));
  EXPECT_ERROR_HERE("a frame step of 1 or more, not 6 and 0", stft(x, {}, {}));
  EXPECT_ERROR_HERE("a frame length from 1 to the length of the signal",
                    stft(x, {}, {.frame_step = 1, .frame_length = 7}));
  EXPECT_ERROR_HERE("a window of the type 3xf32, not 4xf32",
                    stft(x, window, {.frame_step = 1, .frame_length = 3}));
  EXPECT_ERROR_HERE("an option that is out of range",
                    onnx_ops::mel_weight_matrix({.mel_bins = 2, .dft_length = 8, .sample_rate = 8}));
  EXPECT_ERROR_HERE(
      "an option that is out of range",
      onnx_ops::mel_weight_matrix({.mel_bins = 2, .dft_length = 8, .sample_rate = 8, .upper_edge = 5}));
  EXPECT_ERROR_HERE(
      "more than 2^24 weights",
      onnx_ops::mel_weight_matrix(
          {.mel_bins = int64_t{1} << 40, .dft_length = int64_t{1} << 40, .sample_rate = 8, .upper_edge = 4}));
  EXPECT_EQ(g.text(), before);
}

}  // namespace
}  // namespace cutset
