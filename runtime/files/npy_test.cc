#include "runtime/files/npy.h"

#include <cstring>

#include "runtime/files/files.h"
#include "tests/folder.h"

namespace cutset {
namespace {

std::string npy(std::string header, const std::string& data) {
  const size_t n = header.size();
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(n & 0xff) + static_cast<char>(n >> 8) + header + data;
}

using Npy = Folder;
TEST_F(Npy, RoundTripKeepsEveryType) {
  for (DType t : {f32, f64, i32, i64, u8, DType::i8, i1})
    for (const Shape& shape : {Shape{2, 3}, Shape{}, Shape{0}, Shape{3, 0, 2}, Shape{1}}) {
      HostTensor v({t, shape});
      for (size_t i = 0; i < v.bytes().size(); ++i) v.bytes()[i] = t == i1 ? i % 2 : static_cast<unsigned char>(i * 7);
      ASSERT_TRUE(write_npy(path("a"), v).ok());
      auto got = read_npy(path("a"));
      ASSERT_TRUE(got.ok()) << got.error().text();
      EXPECT_EQ(*got, v);
    }
}

TEST_F(Npy, AKeyInsideAQuotedValueIsNotAKey) {
  // The only text like a shape is inside the value of `note`, so the file has no shape.
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
       {"", "{", "}", "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", "{'descr': '<f4' 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (1,)}", "{descr: 1}", "{'descr': '<f4",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'fortran_order': Falsehood, 'shape': (1,)}", "{'descr': [('a', '<f4')], 'shape': (1,)}"}) {
    ASSERT_TRUE(write_file(path("a"), npy(header, std::string(4, '\0'))).ok());
    EXPECT_FALSE(read_npy(path("a")).ok()) << header;
  }
}

}  // namespace
}  // namespace cutset
