#include "frontends/cli/model_sizes.h"

#include <charconv>

#include "frontends/cli/arguments.h"
#include "frontends/cpp/failure.h"

namespace cutset::cli {

void ModelSizes::add_to(CLI::App& app) {
  app.add_option("--size", given,
                 "NAME=N: a size of a model. The built-in models of images have channels, image_size and classes; "
                 "lstm, transformer and bert have sequence_length, vocabulary, layers and width, the last two also "
                 "heads, and bert classes; youtube has vocabulary, history, width and classes. An ONNX model has the "
                 "sizes that it leaves open, by their names; x.1 is dimension 1 of the input x, if this size has no "
                 "name; first sizes of inputs that it leaves open, and that --size and arrays do not give, are --batch")
      ->take_all();
}

std::map<std::string, int64_t> ModelSizes::by_name() const {
  std::map<std::string, int64_t> sizes;
  for (const std::string& item : given) {
    const auto [name, number] = sides_of(item, "--size", "NAME=N");
    int64_t size = 0;
    const char* const end = number.data() + number.size();
    if (const auto parsed = std::from_chars(number.data(), end, size);
        parsed.ec != std::errc() || parsed.ptr != end || size < 0)
      raise(invalid_argument("--size '" + item + "' is not NAME=N"));
    if (!sizes.emplace(name, size).second) raise(invalid_argument("the size '" + name + "' is given twice"));
  }
  return sizes;
}

}  // namespace cutset::cli
