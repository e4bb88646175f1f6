// SPDX-License-Identifier: Apache-2.0
// Data sets of images in files.
//
//   const auto training = data::cifar10("train", "cifar-10-batches-bin")
//                             .map(data::random_crop({.padding = 4}))
//                             .map(data::random_horizontal_flip())
//                             .shuffle().batch(128).prefetch(2);
//
//   const auto classes = data::image_classes("photos/train");
//   const auto test = data::image_folder("photos/test", {.height = 224, .width = 224, .classes = classes});
//
// Fashion-MNIST is in <cutset/data.h>, and <cutset/augment.h> has the functions for map(). All functions
// throw cutset::Error.
#pragma once
#include <cutset/data.h>

namespace cutset::data {

// Reads the binary version of CIFAR-10 (Krizhevsky, "Learning multiple layers of features from tiny images",
// 2009). `split` is "train" (50,000 samples, of data_batch_1.bin to data_batch_5.bin) or "test" (10,000, of
// test_batch.bin). A batch of n samples has "image", f32 [n, 3, 32, 32] with the channels red, green and blue
// and values from 0 to 1, and "label", i32 [n] with values from 0 to 9. `folder` holds the files, which
// cifar-10-binary.tar.gz contains. Images are kept as bytes and converted per batch. Throws if a file is
// missing or malformed.
Dataset cifar10(const std::string& split, const std::string& folder);

// How image_folder makes samples of files.
struct ImageFolderOptions {
  int64_t height = 224, width = 224;  // of the images of a batch, in pixels
  // The length of the shorter side of the resized image, whose centre is then cropped. It must be at least as
  // large as height and width. 0: the image is resized to the smallest size that covers the crop.
  int64_t shorter_side = 0;
  // The classes by their labels. Empty: all subfolders, in the order of image_classes(). Give the classes of
  // the training images for all other images, so that the labels agree even if a folder lacks a class.
  std::vector<std::string> classes = {};
};
// Makes a data set of the images in the subfolders of `folder`, one subfolder per class. A batch of n samples
// has "image", f32 [n, 3, height, width] with the channels red, green and blue and values from 0 to 1, and
// "label", i32 [n], the index of the class.
//
// The files whose names end in .jpg, .jpeg or .png, in any case, are images, including files in deeper
// folders. Links are followed, except for links to a folder that they are in. Samples are ordered by label,
// then by the bytes of their paths. The files are read when their batch is made, on the thread that
// prefetches; only their names are kept.
//
// An image is resized and cropped as follows:
// - It keeps the ratio of its sides: it is resized bilinearly with antialiasing, and its centre is cropped.
// - If the crop is square and the image at most twice as tall as wide, the result is bitwise equal to
//   torchvision's Resize, CenterCrop and ToTensor for an image of Pillow. Taller images differ by at most 1
//   of 255 from versions of Pillow that resize their rows first.
// - Grey images have three equal channels. CMYK images are converted by C * K. Samples of 16 bits are rounded
//   to 8.
// - Transparency, profiles, gamma and the EXIF orientation are dropped.
//
// Throws in these cases:
// - A folder cannot be read, or a size is out of range.
// - A subfolder is no class or has no image.
// - An image is beside the subfolders, or there is no image.
// A file can also fail when its batch is read. The loop over the data set then throws an error that names the
// file:
// - The file cannot be read, is damaged or is truncated.
// - It has more than 256 MiB or more than 64 Mi pixels.
// - It is a progressive JPEG with more than 100 scans.
Dataset image_folder(const std::string& folder, const ImageFolderOptions& options = {});

// Returns the names of the subfolders of `folder`, which are the classes of image_folder(), in the order of
// their bytes. Throws if there is none, or if an image is beside them.
std::vector<std::string> image_classes(const std::string& folder);

}  // namespace cutset::data
