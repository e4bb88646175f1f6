// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/npy.h"

#include <cstring>

#include "runtime/files/files.h"
#include "tests/folder.h"

namespace cutset {
namespace {

std::string npy(std::string header, const std::string& data) {
  const size_t n = header.size();
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(n & 0xff) + static_cast<char>(n >> 8) + header +
         data;
}

using Npy = Folder;
TEST_F(Npy, RoundTripKeepsEveryType) {
  for (DType t : {f32, f64, DType::f16, i16, i32, i64, u8, u16, u32, u64, DType::i8, i1})
    for (const Shape& shape : {Shape{2, 3}, Shape{}, Shape{0}, Shape{3, 0, 2}, Shape{1}}) {
      HostTensor v({t, shape});
      for (size_t i = 0; i < v.bytes().size(); ++i)
        v.bytes()[i] = t == i1 ? i % 2 : static_cast<unsigned char>(i * 7);
      ASSERT_TRUE(write_npy(path("a"), v).ok());
      auto got = read_npy(path("a"));
      ASSERT_TRUE(got.ok()) << got.error().text();
      EXPECT_EQ(*got, v);
    }
}

TEST_F(Npy, FortranOrderIsTransposed) {
  const std::string begin = "{'descr': '<i2', 'fortran_order': ";
  for (const auto& [text, shape] : {std::pair("(2, 3, 4)", Shape{2, 3, 4}), std::pair("(5,)", Shape{5}),
                                    std::pair("()", Shape{}), std::pair("(1, 6)", Shape{1, 6})}) {
    HostTensor want({i16, shape});
    std::string data(want.bytes().size(), '\0');
    std::vector<int64_t> index(shape.size(), 0);
    for (int64_t i = 0; i < want.elements(); ++i) {  // in row-major order
      int64_t at = 0;                                // the position in Fortran order
      for (size_t d = shape.size(); d-- > 0;) at = at * shape[d] + index[d];
      want.set(i, static_cast<double>(i + 300));
      std::memcpy(data.data() + 2 * at, want.data() + 2 * i, 2);
      for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
    }
    ASSERT_TRUE(write_file(path("a"), npy(begin + "True, 'shape': " + text + "}", data)).ok());
    const auto got = read_npy(path("a"));
    ASSERT_TRUE(got.ok()) << got.error().text();
    EXPECT_EQ(*got, want) << text;
  }
  ASSERT_TRUE(write_file(path("a"), npy(begin + "True, 'shape': (0, 3)}", "")).ok());
  EXPECT_TRUE(read_npy(path("a")).ok());
  ASSERT_TRUE(write_file(path("a"), npy(begin + "1, 'shape': (1,)}", "12")).ok());
  EXPECT_NE(read_npy(path("a")).error().what.find("neither True nor False"), std::string::npos);
}

TEST_F(Npy, AKeyInsideAQuotedValueIsNotAKey) {
  // The only text that looks like a shape is inside the value of `note`, so the file has no shape.
  const std::string hidden = "{'descr': '<f4', 'fortran_order': False, 'note': \"'shape': (1,)\"";
  ASSERT_TRUE(write_file(path("a"), npy(hidden + "}", std::string(4, '\0'))).ok());
  auto got = read_npy(path("a"));
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.error().what.find("has no shape"), std::string::npos) << got.error().what;
  ASSERT_TRUE(write_file(path("a"), npy(hidden + ", 'shape': (2,)}", std::string(8, '\0'))).ok());
  got = read_npy(path("a"));
  ASSERT_TRUE(got.ok()) << got.error().text();
  EXPECT_EQ(got->type().shape, (Shape{2}));
}

TEST_F(Npy, AHeaderThatIsNotADictionaryIsRefused) {
  for (const char* header :
       {"", "{", "}", "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
        "{'descr': '<f4' 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (1,)}", "{descr: 1}",
        "{'descr': '<f4", "{'descr': '<f4', 'fortran_order': False, 'shape': (1,}", "{'descr'",
        "{'descr':", "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'fortran_order': Falsehood, 'shape': (1,)}",
        "{'descr': [('a', '<f4')], 'shape': (1,)}"}) {
    ASSERT_TRUE(write_file(path("a"), npy(header, std::string(4, '\0'))).ok());
    EXPECT_FALSE(read_npy(path("a")).ok()) << header;
  }
}

// Returns a file of this version, whose header claims `length` bytes.
std::string of_version(char version, uint32_t length, const std::string& rest) {
  std::string file = std::string("\x93NUMPY") + version + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) file += static_cast<char>(length >> (8 * i) & 0xff);
  return file + rest;
}

TEST_F(Npy, AShapeIsATupleOfNumbers) {
  const struct {
    std::string shape;
    Shape is;          // if it is accepted
    const char* says;  // null: it is accepted
  } cases[] = {
      {"(2,) ", {2}, nullptr},
      {"(2 , )", {2}, nullptr},
      {"( 1,2)", {1, 2}, nullptr},
      {"( )", {}, nullptr},
      {"2", {}, "has no shape"},
      {"12", {}, "has no shape"},
      {"(2) 1", {}, "has no shape"},
      {"( ,2)", {}, "has '' as the size of dimension 0"},
      {"(2,x)", {}, "has 'x' as the size of dimension 1"},
      {"(2x,)", {}, "has '2x' as the size of dimension 0"},
      {"(-2,)", {}, "has '-2' as the size of dimension 0"},
      {"(99999999999999999999,)", {}, "has '99999999999999999999' as the size of dimension 0"},
  };
  for (const auto& c : cases) {
    const int64_t bytes = TensorType{f32, c.is}.bytes();
    ASSERT_TRUE(
        write_file(path("a"), npy("{'descr': '<f4', 'fortran_order': False, 'shape': " + c.shape + "}",
                                  std::string(static_cast<size_t>(bytes), '\0')))
            .ok());
    auto got = read_npy(path("a"));
    ASSERT_EQ(got.ok(), !c.says) << c.shape;
    if (c.says)
      EXPECT_NE(got.error().what.find(c.says), std::string::npos) << got.error().what;
    else
      EXPECT_EQ(got->type(), (TensorType{f32, c.is})) << c.shape;
  }
}

TEST_F(Npy, VersionsOneToThreeAreRead) {
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}";
  const auto length = static_cast<uint32_t>(header.size());
  for (char version : {1, 2, 3}) {
    ASSERT_TRUE(write_file(path("a"), of_version(version, length, header + "\5\7")).ok());
    auto got = read_npy(path("a"));
    ASSERT_TRUE(got.ok()) << got.error().text();
    EXPECT_EQ(got->as<unsigned char>()[1], 7);
  }
  const struct {
    std::string contents;
    const char* says;
  } cases[] = {
      {of_version(0, length, header + "\5\7"), "of version 0; only versions 1 to 3 are supported"},
      {of_version(4, length, header + "\5\7"), "of version 4; only versions 1 to 3 are supported"},
      {of_version(2, length, "").substr(0, 11), "ends within its header"},
      {of_version(1, 60000, header), "claims a header of 60000 bytes, and 55 bytes follow"},
      {of_version(2, 0xff000000, header), "claims a header of 4278190080 bytes, and 55 bytes follow"},
      {"neither a tensor nor a list of them", "does not begin with the format's magic number"},
      {of_version(1, length, header + "\5"), "has 1 bytes of data, and its header says 2xu8, which takes 2"},
      {of_version(1, length, header + "\5\7\11"),
       "has 3 bytes of data, and its header says 2xu8, which takes 2"},
  };
  for (const auto& c : cases) {
    ASSERT_TRUE(write_file(path("a"), c.contents).ok());
    auto got = read_npy(path("a"));
    ASSERT_FALSE(got.ok()) << c.says;
    EXPECT_NE(got.error().what.find(c.says), std::string::npos) << got.error().what;
  }
}

TEST_F(Npy, TypesHaveTheNamesOfNumPy) {
  EXPECT_STREQ(numpy_name(DType::f32), "float32");
  EXPECT_STREQ(numpy_name(DType::i64), "int64");
  EXPECT_STREQ(numpy_name(DType::u8), "uint8");
  EXPECT_STREQ(numpy_name(DType::i1), "bool");
  EXPECT_EQ(numpy_name(DType::bf16), nullptr);
}

TEST_F(Npy, ATypeThatNumPyLacksIsNotWritten) {
  const Status status = write_npy(path("a"), HostTensor({DType::bf16, {2}}));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().what, "NumPy has no element type bf16");
  EXPECT_EQ(entries(), 0);
}

}  // namespace
}  // namespace cutset
