#include "frontends/cli/onnx_options.h"

#include <charconv>

#include "frontends/cli/options.h"
#include "frontends/cpp/failure.h"

namespace cutset::cli {

bool is_onnx(const std::string& model) { return model.ends_with(".onnx"); }

void OnnxOptions::add_to(CLI::App& app) {
  app.add_option("--size", sizes,
                 "NAME=N: the value of a size that an ONNX model leaves open under the name NAME; first sizes of "
                 "inputs that it "
                 "leaves open, and that --size does not name, are --batch")
      ->take_all();
}

onnx::Model OnnxOptions::read(const std::string& path, int64_t batch) const {
  onnx::ImportOptions options{.batch = batch};
  for (const std::string& item : sizes) {
    const auto [name, number] = sides_of(item, "--size", "NAME=N");
    int64_t size = 0;
    const char* const end = number.data() + number.size();
    if (const auto parsed = std::from_chars(number.data(), end, size);
        parsed.ec != std::errc() || parsed.ptr != end || size < 0)
      raise(invalid_argument("--size '" + item + "' is not NAME=N"));
    if (!options.sizes.emplace(name, size).second) raise(invalid_argument("the size '" + name + "' is given twice"));
  }
  return onnx::import_file(path, options);
}

}  // namespace cutset::cli
