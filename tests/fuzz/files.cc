// SPDX-License-Identifier: Apache-2.0
// Fuzzes the readers of files and texts: safetensors, .npy, IDX (plain and gzip), JPEG, PNG, tables of ids,
// device files, orders and strategies. A case changes a correct file and reads it. The reader may accept or
// refuse the file, but must not crash.
#include <zlib.h>

#include <fstream>
#include <functional>
#include <numeric>

#include "graph/config/fitted_strategy.h"
#include "ir/core/philox.h"
#include "runtime/data/idx.h"
#include "runtime/data/named_datasets.h"
#include "runtime/data/order.h"
#include "runtime/data/read_image.h"
#include "runtime/device/device.h"
#include "runtime/files/npy.h"
#include "runtime/files/safetensors.h"
#include "tests/encode_images.h"
#include "tests/fuzz/driver.h"

namespace cutset {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string packed(const std::string& text) {
  z_stream z{};
  deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, static_cast<uLong>(text.size())) + 64, '\0');
  std::string in = text;
  z.next_in = reinterpret_cast<Bytef*>(in.data());
  z.avail_in = static_cast<uInt>(in.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(out.size() - z.avail_out);
  deflateEnd(&z);
  return out;
}

// The words that mutations insert into a text: words of the formats, and numbers at limits.
const std::vector<std::string> kWords = {"{",
                                         "}",
                                         "[",
                                         "]",
                                         "(",
                                         ")",
                                         ",",
                                         ":",
                                         "\"",
                                         "'",
                                         "-1",
                                         "0",
                                         "1e999",
                                         "18446744073709551615",
                                         "9223372036854775807",
                                         "140737488355328",
                                         "\"dtype\"",
                                         "\"shape\"",
                                         "\"data_offsets\"",
                                         "\"__metadata__\"",
                                         "\"F32\"",
                                         "\"BOOL\"",
                                         "'descr'",
                                         "'<f4'",
                                         "'|b1'",
                                         "False",
                                         "'shape'",
                                         "\"threads\"",
                                         "\"sim:0\"",
                                         "null",
                                         "true",
                                         "0.5",
                                         "data",
                                         "shares=",
                                         "model",
                                         "*",
                                         "nan",
                                         std::string(1, '\0'),
                                         "\xff",
                                         std::string(300, '['),
                                         std::string(300, '1')};

std::string mutated(std::string text, PhiloxSequence& random) {
  for (uint64_t changes = random.below(5); changes > 0; --changes) {
    const size_t at = random.below(text.size() + 1);
    switch (random.below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.insert(at, kWords[random.below(kWords.size())]);
        break;
      case 2:
        text.erase(at, 1 + random.below(12));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text.insert(at, text.substr(random.below(text.size() + 1), random.below(40)));
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ 1 << random.below(8));
    }
  }
  return text;
}

struct Format {
  const char* name;
  std::string base;
  std::function<Status(const std::string& path)> read;
};
std::vector<Format> formats;

template <class T>
Status status_of(const Result<T>& r) {
  return r.ok() ? Status() : Status(r.error());
}
// Throws unless the tensor has as many bytes as its type.
Status fits(const HostTensor& t) {
  if (t.bytes().size() != static_cast<size_t>(t.type().bytes()))
    throw std::runtime_error("a tensor does not have as many bytes as its type");
  return {};
}

// Throws unless the image has as many pixels as its sizes say. A PNG gets correct checksums first, because a
// wrong one would hide the rest of the file from the decoder.
Status read_any_image(const std::string& path) {
  const std::string file = bytes_of(path);
  CUTSET_ASSIGN(const Image image,
                decode_image(file.starts_with("\x89PNG") ? testing::with_checksums(file) : file));
  if (image.height < 1 || image.width < 1 ||
      static_cast<int64_t>(image.pixels.size()) != 3 * image.height * image.width)
    throw std::runtime_error("an image does not have as many pixels as its sizes say");
  return {};
}

// Opens a data set for a small model, and makes a batch of all its samples.
Status read_all(const NamedDataset& dataset, const std::string& path) {
  CUTSET_ASSIGN(const Samples samples, dataset.open({.path = path,
                                                     .training_path = path,
                                                     .size_of = [](const char*, size_t) { return 4; },
                                                     .range_of = [](const char*) { return 100; },
                                                     .padding = 7}));
  std::vector<int64_t> numbers(static_cast<size_t>(samples.size));
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  CUTSET_ASSIGN(const auto batch, samples.batch(numbers));
  for (const auto& [name, tensor] : batch) CUTSET_TRY(fits(tensor));
  return {};
}

void make_bases(const std::string& directory) {
  TensorMap tensors;
  tensors.emplace("fc1.weight", HostTensor({f32, {3, 4}}));
  tensors.emplace("mask", HostTensor({i1, {5}}));
  tensors.emplace("empty", HostTensor({i64, {0, 2}}));
  if (!write_safetensors(directory + "/base0", tensors).ok() ||
      !write_npy(directory + "/base1", HostTensor({f32, {3, 4}})).ok())
    throw std::runtime_error("the inputs cannot be written");
}

void open_bases(const std::string& directory) {
  const std::string idx = std::string("\0\0\x08\x02\0\0\0\x04\0\0\0\x05", 12) + std::string(20, '\7');
  formats = {
      {"safetensors", bytes_of(directory + "/base0"),
       [](const std::string& p) -> Status {
         CUTSET_ASSIGN(const TensorMap got, read_safetensors(p));
         for (const auto& [name, t] : got) CUTSET_TRY(fits(t));
         return {};
       }},
      {".npy", bytes_of(directory + "/base1"),
       [](const std::string& p) -> Status {
         CUTSET_ASSIGN(const HostTensor got, read_npy(p));
         return fits(got);
       }},
      {"IDX", idx, [](const std::string& p) { return status_of(read_idx(p)); }},
      {"IDX in gzip", packed(idx), [](const std::string& p) { return status_of(read_idx(p)); }},
      {"JPEG", testing::encode_jpeg(testing::pattern(19, 18, 3), 19, 18, 3), read_any_image},
      {"progressive JPEG",
       testing::encode_jpeg(testing::pattern(19, 18, 3), 19, 18, 3, {.progressive = true}), read_any_image},
      {"PNG", testing::encode_png(testing::pattern(9, 8, 3), 9, 8), read_any_image},
      {"device file",
       R"({"sim:0": {"threads": 2, "memory_bytes": 4096}, "reference:0": {"flops_per_second": 1e9}})",
       [](const std::string& p) {
         return status_of(
             describe_devices({.devices = "reference:0,sim:0", .device_file = p, .describe_only = true}));
       }},
      {"order", "3 1 4\n1 5 9\n", [](const std::string& p) { return status_of(read_order(p)); }},
      {"strategy", "data(2, shares=5:2) * model", [](const std::string& p) -> Status {
         CUTSET_ASSIGN(const FittedStrategy s, fit_strategy(bytes_of(p), 4));
         CUTSET_ASSIGN(const FittedStrategy again, fit_strategy(s.text(), 4));
         if (again.text() != s.text())
           throw std::runtime_error("the text of a strategy is parsed as another strategy");
         return {};
       }}};
  for (const NamedDataset& d : named_datasets())
    if (!d.example.empty())
      formats.push_back({d.name.c_str(), d.example, [&d](const std::string& p) { return read_all(d, p); }});
}

std::string run_case(uint64_t seed, const std::string& directory, bool verbose) {
  PhiloxSequence random(seed, 2);
  const Format& format = formats[random.below(formats.size())];
  const std::string path = directory + "/case";
  std::ofstream(path, std::ios::binary) << mutated(format.base, random);
  const Status status = format.read(path);
  if (verbose && !status.ok()) std::fprintf(stderr, "%s\n", status.error().text().c_str());
  return std::string(format.name) + (status.ok() ? ": read" : ": refused");
}

}  // namespace
}  // namespace cutset

int main(int argc, char** argv) {
  using namespace cutset;
  return fuzz::drive(argc, argv, {"files", make_bases, open_bases, run_case});
}
