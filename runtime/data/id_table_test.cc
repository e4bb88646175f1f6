// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/id_table.h"

#include <gmock/gmock.h>

#include "runtime/files/files.h"
#include "tests/folder.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using IdTableTest = Folder;
TEST_F(IdTableTest, LinesAreLabelsAndLists) {
  ASSERT_TRUE(write_file(path("t"), "5 1 2 3\n\n \t\r\n0\n7,9 ,\t8\r\n4 0").ok());
  const auto table = read_id_table(path("t"), {3, 10, 8});
  ASSERT_TRUE(table.ok()) << table.error().text();
  EXPECT_THAT((*table)->labels, ElementsAre(5, 0, 7, 4));
  const IdBatch batch = make_batch(**table, 3, -1, {3, 0, 1, 2, 0});
  EXPECT_EQ(batch.ids, HostTensor({5, 3}, {0, -1, -1, 1, 2, 3, -1, -1, -1, 9, 8, -1, 1, 2, 3}));
  EXPECT_EQ(batch.label, HostTensor({5}, {4, 5, 0, 7, 5}));
}
TEST_F(IdTableTest, ErrorsNameTheLine) {
  for (const auto& [line, says] :
       {std::pair<const char*, const char*>{"x 1", "'x' is not a whole number"},
        {"1 2.5", "'2.5' is not a whole number"},
        {"1 0x1", "'0x1' is not a whole number"},
        {"1 +1", "'+1' is not a whole number"},
        {"1 2 3 4 5", "the list has more than 3 ids"},
        {"8 1", "the label 8 is not in the range from 0 to 7"},
        {"-1 1", "the label -1 is not in the range from 0 to 7"},
        {"1 10", "the id 10 is not in the range from 0 to 9"},
        {"1 99999999999999999999", "the id 99999999999999999999 is not in the range from 0 to 9"}}) {
    ASSERT_TRUE(write_file(path("t"), std::string("1 2\n\n") + line + "\n1 2\n").ok());
    const auto table = read_id_table(path("t"), {3, 10, 8});
    ASSERT_FALSE(table.ok()) << line;
    EXPECT_THAT(table.error().what, HasSubstr("'" + path("t") + "', line 3: " + says));
  }
  ASSERT_TRUE(write_file(path("t"), "1 2 3 4\n1 2\n").ok());
  EXPECT_THAT(read_id_table(path("t"), {3, 10, 8, true}).error().what,
              HasSubstr("line 2: the list has 1 ids, a sample has 3, and no padding is given"));
  ASSERT_TRUE(write_file(path("t"), "\n \n").ok());
  EXPECT_THAT(read_id_table(path("t"), {3, 10, 8}).error().what, HasSubstr("has no sample"));
}

}  // namespace
}  // namespace cutset
