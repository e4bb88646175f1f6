// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/image_folder.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "runtime/data/folder_entries.h"
#include "runtime/data/image.h"
#include "runtime/data/named_datasets.h"
#include "runtime/data/read_image.h"
#include "runtime/files/uninitialized.h"

namespace cutset {
namespace {

namespace fs = std::filesystem;

Failure cannot_list(const std::string& folder, const std::error_code& why) {
  return unavailable("cannot list '" + folder + "': " + why.message(),
                     "check the folder and its permissions");
}

bool has_ending_of_image(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return std::ranges::count(image_endings(), ending) > 0;
}

// Whether `inner` is `outer` or a path below it. Both are canonical.
bool is_in(const fs::path& inner, const fs::path& outer) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

// Returns the paths of the images in a folder, in the folders below it, and in folders that links lead to.
// The paths are in the order of their bytes.
Result<std::vector<std::string>> images_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  std::vector<fs::path> above = {
      fs::canonical(folder, failed)};  // the folders on the path to the current one
  constexpr auto kLinks = fs::directory_options::follow_directory_symlink;
  for (fs::recursive_directory_iterator at(folder, kLinks, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code gone;  // a dangling link with the name of an image is reported when the image is read
    if (!at->is_directory(gone)) {
      if (has_ending_of_image(at->path())) files.push_back(at->path().string());
      continue;
    }
    // A link to a folder that contains the link leads to no other images, and would not end.
    const fs::path real = fs::canonical(at->path(), gone);
    above.resize(static_cast<size_t>(at.depth()) + 1);
    if (gone || std::ranges::any_of(above, [&](const fs::path& inner) { return is_in(inner, real); }))
      at.disable_recursion_pending();
    else
      above.push_back(real);
  }
  if (failed) return cannot_list(folder, failed);
  std::sort(files.begin(), files.end());
  return files;
}

constexpr char kNamesOfImages[] = "the names of images end in .jpg, .jpeg or .png";

Status check_size(const CropSize& s) {
  if (s.height < 1 || s.width < 1 || s.height > kMaxImageSide || s.width > kMaxImageSide)
    return invalid_argument(
        "images cannot have " + std::to_string(s.height) + " x " + std::to_string(s.width) + " pixels",
        "height and width are from 1 to " + std::to_string(kMaxImageSide));
  const int64_t larger = std::max(s.height, s.width);
  if (s.shorter_side != 0 && (s.shorter_side < larger || s.shorter_side > kMaxImageSide))
    return invalid_argument("the shorter side cannot have " + std::to_string(s.shorter_side) + " pixels",
                            "it is from " + std::to_string(larger) + ", the larger of height and width, to " +
                                std::to_string(kMaxImageSide));
  return {};
}

// Opens the images for training or for evaluation. The classes are always those for training.
Result<Samples> open_for_command(const DatasetRequest& r) {
  CUTSET_ASSIGN(const std::string training, folder_of_images(r.path, false));
  CUTSET_ASSIGN(const std::vector<std::string> classes, list_classes(training));
  const int64_t count = static_cast<int64_t>(classes.size());
  if (count > r.range_of("label"))
    return invalid_argument("'" + training + "' has " + std::to_string(count) +
                                " classes, and the model has " + std::to_string(r.range_of("label")),
                            "give the model as many classes, with --size classes=" + std::to_string(count) +
                                " if it is a built-in model");
  CUTSET_ASSIGN(const std::string folder, folder_of_images(r.path, r.for_test));
  return read_image_folder(folder, {r.size_of("image", 2), r.size_of("image", 3)}, classes);
}

}  // namespace

std::span<const std::string_view> image_endings() {
  static constexpr std::string_view endings[] = {".jpg", ".jpeg", ".png"};
  return endings;
}

Result<std::vector<std::string>> list_classes(const std::string& folder) {
  std::vector<std::string> classes;
  std::string outside;  // the first image outside of the subfolders
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code gone;
    const std::string name = at->path().filename().string();
    if (at->is_directory(gone))
      classes.push_back(name);
    else if (has_ending_of_image(at->path()) && (outside.empty() || name < outside))
      outside = name;
  }
  if (failed) return cannot_list(folder, failed);
  constexpr char kLayout[] =
      "a folder of images has one subfolder per class, which has the images of the class";
  if (classes.empty())
    return invalid_data("'" + folder + "' has no subfolder; it " + entries_of(folder), kLayout);
  if (!outside.empty())
    return invalid_data(
        "'" + folder + "' has the image '" + outside + "' outside of its " +
            (classes.size() == 1 ? "subfolder" : std::to_string(classes.size()) + " subfolders") +
            ", so the image has no class",
        std::string(kLayout) + "; move the image");
  std::sort(classes.begin(), classes.end());
  return classes;
}

Result<ImageFolder> list_images(const std::string& folder, const std::vector<std::string>& classes) {
  CUTSET_ASSIGN(const std::vector<std::string> present, list_classes(folder));
  for (const std::string& name : present)
    if (std::find(classes.begin(), classes.end(), name) == classes.end())
      return invalid_data(
          "'" + folder + "' has a subfolder '" + name + "', which is not " +
              (classes.size() == 1 ? "the class '" + classes[0] + "'"
                                   : "one of the " + std::to_string(classes.size()) + " classes"),
          "give the classes of the folder with which the model is trained");
  ImageFolder images;
  for (size_t c = 0; c < classes.size(); ++c) {
    if (!std::binary_search(present.begin(), present.end(), classes[c])) continue;
    CUTSET_ASSIGN(std::vector<std::string> files, images_below(folder + "/" + classes[c]));
    if (files.empty())
      return invalid_data("the class '" + classes[c] + "' of '" + folder + "' has no image; its folder " +
                              entries_of(folder + "/" + classes[c]),
                          std::string(kNamesOfImages) + "; add images, or remove the folder");
    images.labels.insert(images.labels.end(), files.size(), static_cast<int32_t>(c));
    std::move(files.begin(), files.end(), std::back_inserter(images.files));
  }
  if (images.files.empty())
    return invalid_data("the subfolders of '" + folder + "' have no image", kNamesOfImages);
  return images;
}

Result<ImageBatch> read_images(const ImageFolder& folder, const CropSize& size,
                               const std::vector<int64_t>& samples) {
  const int64_t n = static_cast<int64_t>(samples.size()), plane = size.height * size.width;
  ImageBatch batch{uninitialized({f32, {n, 3, size.height, size.width}}), uninitialized({i32, {n}})};
  for (int64_t i = 0; i < n; ++i) {
    const size_t sample = static_cast<size_t>(samples[static_cast<size_t>(i)]);
    CUTSET_ASSIGN(const Image original, read_image(folder.files[sample]));
    const Image image = resize_and_crop(original, size);
    float* to = batch.image.as<float>().data() + i * 3 * plane;
    for (int64_t c = 0; c < 3; ++c)
      for (int64_t p = 0; p < plane; ++p)
        to[c * plane + p] = static_cast<float>(image.pixels[static_cast<size_t>(3 * p + c)]) / 255.0f;
    batch.label.as<int32_t>()[static_cast<size_t>(i)] = folder.labels[sample];
  }
  return batch;
}

Result<Samples> read_image_folder(const std::string& folder, const CropSize& size,
                                  const std::vector<std::string>& classes) {
  CUTSET_TRY(check_size(size));
  if (std::set<std::string>(classes.begin(), classes.end()).size() != classes.size())
    return invalid_argument("the classes of '" + folder + "' have a name twice");
  std::vector<std::string> names = classes;
  if (names.empty()) {
    CUTSET_ASSIGN(names, list_classes(folder));
  }
  CUTSET_ASSIGN(ImageFolder listed, list_images(folder, names));
  auto images = std::make_shared<const ImageFolder>(std::move(listed));
  const int64_t count = static_cast<int64_t>(images->files.size());
  return Samples{count,
                 [images = std::move(images),
                  size](const std::vector<int64_t>& numbers) -> Result<std::map<std::string, HostTensor>> {
                   CUTSET_ASSIGN(ImageBatch batch, read_images(*images, size, numbers));
                   return by_name(std::move(batch));
                 }};
}

Result<std::string> folder_of_images(const std::string& path, bool for_test) {
  const std::vector<const char*> names =
      for_test ? std::vector<const char*>{"test", "val"} : std::vector<const char*>{"train"};
  for (const char* name : names) {
    std::error_code failed;
    if (fs::is_directory(path + "/" + name, failed)) return path + "/" + name;
  }
  return invalid_data("'" + path + "' has no folder " +
                          (for_test ? "'test' or 'val' for the evaluation" : "'train'") + "; it " +
                          entries_of(path),
                      std::string("--dataset image-folder reads PATH/train/CLASS/*.jpg and, for the "
                                  "evaluation, PATH/test or PATH/val") +
                          (for_test ? "; --no-evaluate leaves the evaluation out" : ""));
}

static const RegisterDataset registered_image_folder({
    .name = "image-folder",
    .inputs = inputs_of_images(),
    .endings = {image_endings().begin(), image_endings().end()},
    .open = open_for_command,
    .file_per_sample = true,
});

}  // namespace cutset
