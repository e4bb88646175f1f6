// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/log_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/folder.h"
#include "tests/limited_files.h"

namespace cutset {
namespace {

using ::testing::HasSubstr;

class Logs : public Folder {
 protected:
  Result<LogFile> open(const LogPlace& place = {}, const std::string& run = "") const {
    const std::string head = "head\n";
    const auto fits = [=](std::string_view b) { return head.starts_with(b.substr(0, head.size())); };
    return LogFile::open(file_, {head, fits}, place, {claim_, run});
  }
  std::string contents() const { return *read_file(file_); }
  void replace(const std::string& text) const { std::ofstream(file_) << text; }
  // Returns the error of an attempt to open the log.
  std::string refused(const LogPlace& place = {}, const std::string& run = "") const {
    const auto log = open(place, run);
    return log.ok() ? "no error" : log.error().what;
  }

  const std::string file_ = path("log"), claim_ = path("log.run");
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
  EXPECT_THAT(refused(), HasSubstr("belongs to another run, or is another file"));
  EXPECT_THAT(refused({}, "run A"), HasSubstr("belongs to another run, or is another file"));
  EXPECT_EQ(contents(), "head\nof another run\n");
  std::filesystem::remove(file_);
  LogPlace place;
  {
    LogFile log = *open();
    ASSERT_TRUE(log.append("one\n").ok());
    place = log.place();
  }
  replace("head\nTWO\nmore\n");
  EXPECT_THAT(refused(place), HasSubstr("is not the one of the run that wrote the checkpoint"));
  replace("head\n");
  EXPECT_THAT(refused(place), HasSubstr("is not the one of the run that wrote the checkpoint"));
  replace("no log");
  EXPECT_THAT(refused({}, "run A"), HasSubstr("belongs to another run, or is another file"));
  EXPECT_EQ(contents(), "no log");
  replace("head\n");  // the file has no records
  EXPECT_EQ(refused(), "no error");
  replace("");
  EXPECT_EQ(refused(), "no error");
  EXPECT_EQ(contents(), "head\n");
}

// A run that was killed before its first checkpoint finds its log until a checkpoint holds the place.
TEST_F(Logs, OfTheRunItselfBeginAgain) {
  const auto append = [&](const LogPlace& place, const std::string& run) {
    LogFile log = *open(place, run);
    EXPECT_EQ(contents(), "head\n");
    EXPECT_TRUE(log.append("one\n").ok());
    return log.place();
  };
  append({}, "run A");
  append({}, "run A");
  EXPECT_THAT(refused({}, "run B"), HasSubstr("belongs to another run, or is another file"));
  EXPECT_THAT(refused({}, ""), HasSubstr("belongs to another run, or is another file"));
  EXPECT_EQ(contents(), "head\none\n");
  // The log of the checkpoint is missing, so the run begins a new log, and is killed again.
  const LogPlace lost{.bytes = 100, .sum = 1};
  EXPECT_THAT(refused(lost, "run B"), HasSubstr("is not the one of the run that wrote the checkpoint"));
  std::filesystem::remove(file_);
  append(lost, "run B");
  const LogPlace place = append(lost, "run B");
  EXPECT_THAT(refused({}, "run A"), HasSubstr("belongs to another run, or is another file"));
  open({}, "run B")->remove_claim();
  EXPECT_FALSE(std::filesystem::exists(claim_));
  replace("head\none\n");
  EXPECT_THAT(refused({}, "run B"), HasSubstr("belongs to another run, or is another file"));
  EXPECT_EQ(refused(place, "run B"), "no error");
  EXPECT_EQ(contents(), "head\none\n");
  // A run that cannot be started again leaves no claim.
  std::filesystem::remove(file_);
  append({}, "run A");
  std::filesystem::remove(file_);
  append({}, "");
  EXPECT_FALSE(std::filesystem::exists(claim_));
}

// A process was killed while it wrote the beginning.
TEST_F(Logs, MayHaveAPartOfTheBeginning) {
  for (const char* const part : {"h", "hea", "head"}) {
    replace(part);
    EXPECT_EQ(refused(), "no error");
    EXPECT_EQ(contents(), "head\n");
  }
  replace("heap");
  EXPECT_THAT(refused(), HasSubstr("belongs to another run, or is another file"));
}

// A record that can be written only in part leaves nothing, and is written before the next record.
TEST_F(Logs, KeepRecordsThatCannotBeWritten) {
  LogPlace place;
  {
    LogFile log = *open();
    ASSERT_TRUE(log.append("one\n").ok());
    const LogPlace one = log.place();
    {
      const testing::LimitedFiles full(12);
      EXPECT_FALSE(log.append("a long record\n").ok());
      EXPECT_EQ(contents(), "head\none\n");
      EXPECT_FALSE(log.write_pending().ok());
    }
    place = log.place();
    EXPECT_EQ(place.bytes, one.bytes);
    EXPECT_EQ(place.pending, "a long record\n");
    log.return_to(one);  // the record is made again, with other contents
    ASSERT_TRUE(log.append("2\n").ok());
    EXPECT_EQ(contents(), "head\none\n2\n");
    log.return_to(one);
    EXPECT_EQ(contents(), "head\none\n");
  }
  LogFile log = *open(place);
  EXPECT_EQ(contents(), "head\none\na long record\n");
  EXPECT_EQ(log.place().pending, "");
  ASSERT_TRUE(log.append("three\n").ok());
  EXPECT_EQ(contents(), "head\none\na long record\nthree\n");
}

TEST_F(Logs, HaveOneWriter) {
  const LogFile first = *open();
  EXPECT_THAT(refused({}, "run A"), HasSubstr("is in use by another run"));
}

TEST_F(Logs, AreRegularFiles) {
  const auto log = LogFile::open("/dev/null", {"head\n", {}}, {}, {claim_, ""});
  ASSERT_FALSE(log.ok());
  EXPECT_THAT(log.error().what, HasSubstr("is not a regular file"));
  EXPECT_FALSE(LogFile::open(path("missing/log"), {"head\n", {}}, {}, {claim_, ""}).ok());
}

}  // namespace
}  // namespace cutset
