// SPDX-License-Identifier: Apache-2.0
// Folders of images: one subfolder per class.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/data/dataset.h"
#include "runtime/data/resize_image.h"

namespace cutset {

struct ImageFolder {
  std::vector<std::string> files;  // the path of each sample
  std::vector<int32_t> labels;     // the index of its class
};

// Returns the endings of the names of images, in lower case. A name may also have such an ending in upper or
// mixed case.
std::span<const std::string_view> image_endings();

// Returns the names of the subfolders in the order of their bytes. Fails if there is no subfolder, or if an
// image is beside the subfolders.
Result<std::vector<std::string>> list_classes(const std::string& folder);

// Lists the images of the subfolders with the names `classes`. The index of a name is the label. A file is an
// image if its name has one of the image_endings, also in deeper folders. Other files are ignored. The
// samples are ordered by label, and then by the bytes of their paths. A symbolic link to a file is followed.
// A subfolder itself may be a symbolic link, but a link to a folder inside it is not followed, so the search
// ends. Fails in these cases:
// - A folder cannot be read.
// - A subfolder is not a class, or has no image.
// - An image is beside the subfolders.
// - There is no image.
Result<ImageFolder> list_images(const std::string& folder, const std::vector<std::string>& classes);

// Reads, resizes and crops the samples with these numbers, in this order. The result is f32, NCHW with three
// channels. Bytes 0 to 255 become 0 to 1. Every number must be at least 0 and less than the number of files.
// Errors name the file.
Result<ImageBatch> read_images(const ImageFolder& folder, const CropSize& size,
                               const std::vector<int64_t>& samples);

// Opens a folder of images with one subfolder per class. A batch has "image", f32 [n, 3, height, width], and
// "label", i32 [n]. `classes` are the classes in the order of their labels. If it is empty, all subfolders
// are classes. Fails as list_images() does, if a size is out of range, or if a class is named twice.
Result<Samples> read_image_folder(const std::string& folder, const CropSize& size,
                                  const std::vector<std::string>& classes);

// Returns the folder of the images for training, PATH/train, or for evaluation, PATH/test or PATH/val. If
// there is no such folder, fails and lists the entries of `path`.
Result<std::string> folder_of_images(const std::string& path, bool for_test);

}  // namespace cutset
