// SPDX-License-Identifier: Apache-2.0
// Tests weights in other files than the model: where these files may be, and which of their parts are read.
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "frontends/onnx/import/test/model_bytes.h"
#include "tests/errors.h"
#include "tests/folder.h"

namespace cutset::onnx {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A folder with files of a test.
class ExternalWeights : public Folder {
 protected:
  ExternalWeights() { std::filesystem::create_directories(path("models")); }
  std::string write(const std::string& name, const std::string& bytes) {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string write(const std::string& name, const Message& m) { return write(name, m.bytes); }
};

// Returns an initializer of f32 whose elements are in another file.
Message external(const std::string& name, const std::vector<int64_t>& dims,
                 const std::vector<std::pair<std::string, std::string>>& place) {
  Message t;
  for (const int64_t d : dims) t.number(1, static_cast<uint64_t>(d));
  t.number(2, kFloat).text(8, name).number(14, 1);
  for (const auto& [key, text] : place) t.nested(13, Message().text(1, key).text(2, text));
  return t;
}
// Returns a model of y = x + w with w in another file.
Message sum_with(const Message& w) { return model({node("Add", {"x", "w"}, "y")}, {w}, value("x", {2})); }

// A session that runs with other sizes imports the model again, but does not read the file again.
TEST_F(ExternalWeights, OfAConstantAreReadOnce) {
  write("models/weights", raw<float>({10, 20}));
  Message shape, type;
  shape.nested(1, Message().text(2, "n")).nested(1, Message().number(1, 2));
  type.number(1, kFloat).nested(2, shape);
  const Message constant = node("Constant", {}, "c")
                               .nested(5, Message()
                                              .text(1, "value")
                                              .nested(5, external("", {2}, {{"location", "weights"}}))
                                              .number(20, 4));
  const std::string path =
      write("models/m.onnx", model({constant, node("Add", {"x", "c"}, "y")}, {},
                                   Message().text(1, "x").nested(2, Message().nested(1, type))));
  Session session = compile(import_file(path, {.batch = 4}).graph, {.devices = "reference:0"});
  write("models/weights", raw<float>({7, 8}));
  for (const int64_t n : {4, 3, 2, 1, 9})
    EXPECT_EQ(session.evaluate({{"x", HostTensor({f32, {n, 2}})}})["y"].at(2 * n - 1), 20) << n;
}

TEST_F(ExternalWeights, AreReadFromPartsOfFiles) {
  write("models/weights", raw<float>({0, 10, 20}));
  const std::string path =
      write("models/m.onnx",
            sum_with(external(
                "w", {2}, {{"location", "weights"}, {"offset", "4"}, {"length", "8"}, {"checksum", "?"}})));
  Session session = compile(import_file(path).graph, {.devices = "reference:0"});
  const HostTensor y = session.run("evaluate", {{"x", HostTensor({2}, {1.0f, 2.0f})}})["y"];
  EXPECT_THAT(y.as<float>(), ElementsAre(11, 22));
  // Without a length, the elements end with the file.
  write("models/m.onnx", sum_with(external("w", {2}, {{"location", "./weights"}, {"offset", "4"}})));
  EXPECT_EQ(compile(import_file(path).graph, {.devices = "reference:0"}).variable("w").at(1), 20);
  EXPECT_THAT(weight_files(path), ElementsAre(this->path("models/./weights")));
  EXPECT_THAT(testing::error_of(
                  [&] { import_model(bytes_of(sum_with(external("w", {2}, {{"location", "weights"}})))); }),
              HasSubstr("in another file, which is not supported here"));
}

TEST_F(ExternalWeights, HostilePlaces) {
  namespace fs = std::filesystem;
  write("models/weights", raw<float>({0, 10, 20}));
  write("secret", raw<float>({1, 2}));
  fs::create_directory(path("models/inner"));
  fs::create_symlink(path("secret"), path("models/link"));
  fs::create_directory_symlink(folder_, path("models/up"));
  fs::create_hard_link(path("secret"), path("models/hard"));
  fs::create_symlink("weights", path("models/beside"));
  fs::create_symlink(path("models/weights"), path("models/absolute"));
  fs::create_symlink("nowhere", path("models/dangling"));
  fs::create_symlink("loop", path("models/loop"));
  const auto of = [&](const std::vector<std::pair<std::string, std::string>>& place) {
    const std::string path = write("models/m.onnx", sum_with(external("w", {2}, place)));
    return testing::error_of([&] { import_file(path); });
  };
  EXPECT_EQ(of({{"location", "weights"}, {"length", "8"}}), "no error");
  EXPECT_EQ(of({{"location", "beside"}, {"length", "8"}}), "no error");
  EXPECT_EQ(of({{"location", "absolute"}, {"length", "8"}}), "no error");
  const std::string outside = "a path that leaves the folder of the model";
  EXPECT_THAT(of({{"location", path("secret")}}), HasSubstr(outside));
  EXPECT_THAT(of({{"location", "../secret"}}), HasSubstr(outside));
  EXPECT_THAT(of({{"location", "inner/../../secret"}}), HasSubstr(outside));
  EXPECT_EQ(of({{"location", "inner/../weights"}, {"length", "8"}}), "no error");
  EXPECT_THAT(of({{"location", "up/../secret"}}), HasSubstr(outside));
  const std::string leads_out =
      "neither below the folder of the model nor below the folder of the file to which the model is";
  EXPECT_THAT(of({{"location", "link"}}), AllOf(HasSubstr(leads_out), HasSubstr("(cp -rL)")));
  EXPECT_THAT(of({{"location", "up/secret"}}), HasSubstr(leads_out));
  EXPECT_THAT(of({{"location", "dangling"}}),
              HasSubstr("a symbolic link that leads to no file: No such file"));
  EXPECT_THAT(of({{"location", "loop"}}),
              HasSubstr("a symbolic link that leads to no file: Too many levels"));
  EXPECT_THAT(of({{"location", "hard"}}),
              AllOf(HasSubstr("2 hard links"), HasSubstr("ImportOptions::hard_links")));
  EXPECT_THAT(of({{"location", "inner"}}), HasSubstr("which is not a regular file"));
  EXPECT_THAT(of({{"location", "missing"}}), HasSubstr("No such file"));
  EXPECT_THAT(of({{"location", std::string("weights\0x", 9)}}),
              HasSubstr("external data without a location"));
  EXPECT_THAT(of({{"location", ""}}), HasSubstr("external data without a location"));
  EXPECT_THAT(of({{"offset", "0"}}), HasSubstr("external data without a location"));
  EXPECT_THAT(of({{"location", "weights"}}), HasSubstr("has 12 bytes in another file, but its type needs 8"));
  EXPECT_THAT(of({{"location", "weights"}, {"length", "4"}}), HasSubstr("but its type needs 8"));
  const std::string beyond = "beyond the end of 'weights'";
  EXPECT_THAT(of({{"location", "weights"}, {"offset", "8"}, {"length", "8"}}), HasSubstr(beyond));
  EXPECT_THAT(of({{"location", "weights"}, {"offset", "18446744073709551615"}, {"length", "8"}}),
              HasSubstr(beyond));
  EXPECT_THAT(of({{"location", "weights"}, {"offset", "4"}, {"length", "18446744073709551615"}}),
              HasSubstr(beyond));
  // Many tensors in the same bytes.
  std::vector<Message> shared;
  for (int i = 0; i < 4; ++i)
    shared.push_back(external("w" + std::to_string(i), {2}, {{"location", "weights"}, {"length", "8"}}));
  const auto with = [&](std::vector<Message> weights) {
    const std::string path =
        write("models/m.onnx", model({node("Add", {"x", "w0"}, "y")}, weights, value("x", {2})));
    return testing::error_of([&] { import_file(path); });
  };
  EXPECT_EQ(with({shared.begin(), shared.begin() + 3}), "no error");
  EXPECT_THAT(with(shared), HasSubstr("more than twice the bytes of 'weights'"));
  for (const char* number : {"-4", "4x", "", "99999999999999999999", "0x4"})
    EXPECT_THAT(of({{"location", "weights"}, {"offset", number}}),
                HasSubstr("in its external data that is not a number"))
        << number;
}

// The cache of Hugging Face: the model and its weights are links to a folder of blobs.
TEST_F(ExternalWeights, InTheFolderThatTheModelLinksTo) {
  namespace fs = std::filesystem;
  const std::string m = sum_with(external("w", {2}, {{"location", "m.onnx.data"}})).bytes;
  for (const char* folder : {"hub/blobs", "hub/snapshots/a/onnx", "hub/other"})
    fs::create_directories(path(folder));
  write("hub/blobs/b1", m);
  write("hub/blobs/b2", raw<float>({10, 20}));
  write("hub/other/b3", raw<float>({30, 40}));
  const std::string model_path = path("hub/snapshots/a/onnx/m.onnx"), weights = model_path + ".data";
  fs::create_symlink("../../../blobs/b1", model_path);
  const auto error = [&](const ImportOptions& options = {}) {
    return testing::error_of([&] { import_file(model_path, options); });
  };
  const auto link = [&](const std::string& target) {
    fs::remove(weights);
    fs::create_symlink(target, weights);
  };
  link("../../../blobs/b2");
  EXPECT_EQ(compile(import_file(model_path).graph, {.devices = "reference:0"}).variable("w").at(1), 20);
  link(path("hub/blobs/b2"));
  EXPECT_EQ(error(), "no error");
  // A link to a link, and a link of the folder on the way.
  fs::create_symlink("../blobs/b2", path("hub/other/again"));
  link("../../../other/again");
  EXPECT_EQ(error(), "no error");
  fs::create_directory_symlink(path("hub/snapshots"), path("linked"));
  EXPECT_EQ(testing::error_of([&] { import_file(path("linked/a/onnx/m.onnx")); }), "no error");
  // The file is beside the folder of the blobs, not below it.
  link("../../../other/b3");
  EXPECT_THAT(error(),
              AllOf(HasSubstr("a symbolic link to"), HasSubstr("other/b3"), HasSubstr("neither below")));
  // If the model is not a link, only its own folder is allowed.
  fs::remove(model_path);
  write("hub/snapshots/a/onnx/m.onnx", m);
  link("../../../blobs/b2");
  EXPECT_THAT(error(), HasSubstr("neither below"));
  // A second hard link.
  fs::remove(weights);
  fs::create_hard_link(path("hub/other/b3"), weights);
  EXPECT_THAT(error(), HasSubstr("2 hard links"));
  EXPECT_EQ(error({.hard_links = true}), "no error");
}

}  // namespace
}  // namespace cutset::onnx
