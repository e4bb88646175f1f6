#include "frontends/cpp/training/log_file.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/folder.h"

namespace cutset {
namespace {

using ::testing::HasSubstr;

class Logs : public Folder {
 protected:
  Result<LogFile> open(const LogPlace& place = {}, bool again = false) const {
    return LogFile::open(file_, {"head\n", [](std::string_view b) { return b.starts_with("head\n"); }}, place, again);
  }
  std::string contents() const { return *read_file(file_); }
  void replace(const std::string& text) const { std::ofstream(file_) << text; }
  // The error of an attempt to open the log.
  std::string refused(const LogPlace& place = {}, bool again = false) const {
    const auto log = open(place, again);
    return log.ok() ? "no error" : log.error().what;
  }

  const std::string file_ = path("log");
};

TEST_F(Logs, AreContinuedBehindAPlace) {
  LogPlace middle;
  {
    LogFile log = *open();
    ASSERT_TRUE(log.append("one\n").ok());
    middle = log.place();
    ASSERT_TRUE(log.append("two\n").ok());
    ASSERT_TRUE(log.append("thr").ok());  // half a record
  }
  EXPECT_EQ(contents(), "head\none\ntwo\nthr");
  EXPECT_EQ(middle.bytes, 9u);
  LogFile log = *open(middle);
  EXPECT_EQ(contents(), "head\none\n");
  ASSERT_TRUE(log.append("2\n").ok());
  EXPECT_EQ(contents(), "head\none\n2\n");
}

TEST_F(Logs, OfOtherRunsAreRefused) {
  replace("head\nof another run\n");
  EXPECT_THAT(refused(), HasSubstr("is that of another run, or another file"));
  LogPlace place;
  {
    LogFile log = *open({}, true);  // a run that was killed before its first checkpoint begins again
    EXPECT_EQ(contents(), "head\n");
    ASSERT_TRUE(log.append("one\n").ok());
    place = log.place();
  }
  replace("head\nTWO\nmore\n");
  EXPECT_THAT(refused(place), HasSubstr("is not the one of the run that wrote the checkpoint"));
  replace("head\n");
  EXPECT_THAT(refused(place), HasSubstr("is not the one of the run that wrote the checkpoint"));
  replace("no log");
  EXPECT_THAT(refused({}, true), HasSubstr("is that of another run, or another file"));
  EXPECT_EQ(contents(), "no log");
  replace("head\n");  // without records
  EXPECT_EQ(refused(), "no error");
  replace("");
  EXPECT_EQ(refused(), "no error");
  EXPECT_EQ(contents(), "head\n");
}

TEST_F(Logs, HaveOneWriter) {
  const LogFile first = *open();
  EXPECT_THAT(refused({}, true), HasSubstr("is in use by another run"));
}

TEST_F(Logs, AreRegularFiles) {
  const auto log = LogFile::open("/dev/null", {"head\n", {}}, {}, false);
  ASSERT_FALSE(log.ok());
  EXPECT_THAT(log.error().what, HasSubstr("is not a regular file"));
  EXPECT_FALSE(LogFile::open(path("missing/log"), {"head\n", {}}, {}, false).ok());
}

}  // namespace
}  // namespace cutset
