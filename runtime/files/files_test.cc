// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "tests/folder.h"

namespace cutset {
namespace {

using Files = Folder;

std::string temporary(const std::string& file, int n) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016x", n);
  return file + ".tmp-" + digits;
}

TEST_F(Files, PiecesAreWrittenInTheirOrder) {
  ASSERT_TRUE(write_file(path("f"), {"one ", "", "two"}).ok());
  EXPECT_EQ(*read_file(path("f")), "one two");
  ASSERT_TRUE(write_file(path("f"), "").ok());
  EXPECT_EQ(*read_file(path("f")), "");
  EXPECT_EQ(entries(), 1);
}

// Runs write_file in a child process, because a limit on file sizes holds for the whole process. Returns
// whether write_file failed with the expected message.
bool fails_with_files_limited_to(rlim_t bytes, const std::string& path, const std::string& contents) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    const Status s = write_file(path, contents);
    _exit(s.ok() ? 0 : s.error().what.find("cannot write '" + path) == 0 ? 42 : 1);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 42;
}

TEST_F(Files, AFailedWriteLeavesTheOldFile) {
  ASSERT_TRUE(write_file(path("f"), "old").ok());
  for (rlim_t bytes : {0, 1, 4095, 4096}) {
    EXPECT_TRUE(fails_with_files_limited_to(bytes, path("f"), std::string(4097, 'x'))) << bytes;
    EXPECT_EQ(*read_file(path("f")), "old");
    EXPECT_EQ(entries(), 1) << "no temporary file is left";
  }
  EXPECT_FALSE(write_file(path("no/such/folder/f"), "new").ok());
  EXPECT_FALSE(write_file(folder_, "new").ok());
  EXPECT_FALSE(write_file(path("f") + "/", "new").ok());
  EXPECT_FALSE(write_file("", "new").ok());
  if (access("/dev/full", W_OK) == 0) {
    EXPECT_FALSE(write_file("/dev/full", "new").ok());
  }
  EXPECT_EQ(*read_file(path("f")), "old");
}

// The first file stays as it was if the second file cannot be written.
TEST_F(Files, SeveralFilesAreReplacedTogether) {
  ASSERT_TRUE(write_files({{path("f"), {"old"}}, {path("g"), {"o", "ld"}}}).ok());
  EXPECT_FALSE(write_files({{path("f"), {"new"}}, {path("no/g"), {"new"}}}).ok());
  EXPECT_EQ(*read_file(path("f")), "old");
  ASSERT_TRUE(write_files({{path("f"), {"new"}}, {path("g"), {"newer"}}}).ok());
  EXPECT_EQ(*read_file(path("f")) + *read_file(path("g")), "newnewer");
  EXPECT_EQ(entries(), 2) << "no temporary file is left";
}

TEST_F(Files, CheckingTouchesNothing) {
  EXPECT_TRUE(check_writable(path("f")).ok());
  EXPECT_EQ(entries(), 0);
  ASSERT_TRUE(write_file(path("f"), "old").ok());
  EXPECT_TRUE(check_writable(path("f")).ok());
  EXPECT_EQ(*read_file(path("f")), "old");
  EXPECT_EQ(entries(), 1);
  EXPECT_FALSE(check_writable(path("no/f")).ok());
  EXPECT_FALSE(check_writable(folder_).ok());
  EXPECT_FALSE(check_writable("").ok());
  EXPECT_FALSE(check_writable("/proc/nowhere/f").ok());
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(check_writable(path("pipe")).ok()) << "no process reads from the pipe";
}

// The name of the temporary file is cut, so only the check of the name finds the error before the work.
TEST_F(Files, ANameThatIsTooLongIsFoundByTheCheck) {
  const std::string longest(255, 'x');
  EXPECT_TRUE(check_writable(path(longest)).ok());
  ASSERT_TRUE(write_file(path(longest), "new").ok());
  EXPECT_EQ(*read_file(path(longest)), "new");
  for (const Status& s : {check_writable(path(longest + "x")), write_file(path(longest + "x"), "new")}) {
    ASSERT_FALSE(s.ok());
    EXPECT_NE(s.error().what.find("its name has 256 bytes, and the file system allows 255"),
              std::string::npos);
  }
  std::filesystem::create_symlink(longest + "x", path("link"));
  EXPECT_FALSE(check_writable(path("link")).ok()) << "the name of the file that the link names counts";
}

TEST_F(Files, TemporaryFilesOfAFolderAreRemovedByTheNamesOfTheirFiles) {
  for (const char* name : {"step-1.x", "step-2.x", "best.x", "step-3.y"})
    std::ofstream(temporary(path(name), 3)) << "half";
  std::ofstream(path("step-4.x")) << "whole";
  std::ofstream(path("step-5.x.tmp-000000000000000g")) << "mine";
  const int fd = open(temporary(path("step-2.x"), 3).c_str(), O_RDONLY);
  ASSERT_EQ(flock(fd, LOCK_EX), 0);  // its writer has not ended
  remove_orphans_in(folder_, "step-", ".x");
  EXPECT_FALSE(std::filesystem::exists(temporary(path("step-1.x"), 3)));
  EXPECT_EQ(entries(), 5);
  close(fd);
  remove_orphans_in(folder_, "", "");
  EXPECT_EQ(entries(), 2) << "the files whose names do not end with 16 digits";
  remove_orphans_in(path("nowhere"), "", "");
}

TEST_F(Files, ATemporaryFileOfAProcessThatEndedIsRemoved) {
  for (int i = 0; i < 3; ++i) std::ofstream(temporary(path("f"), i)) << "half";
  std::ofstream(path("f.tmp-other")) << "mine";  // does not end with 16 digits
  std::ofstream(temporary(path("g"), 0)) << "of another file";
  std::ofstream(path("f.tmp" + std::to_string(getpid()))) << "mine";
  ASSERT_TRUE(write_file(path("f"), "new").ok());
  EXPECT_EQ(*read_file(path("f")), "new");
  EXPECT_EQ(entries(), 4);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(std::filesystem::exists(temporary(path("f"), i)));
}
// Many writers of one file have ended at once.
TEST_F(Files, ManyTemporaryFilesOfProcessesThatEndedAreRemoved) {
  for (int i = 0; i < 40; ++i) std::ofstream(temporary(path("f"), i)) << "half";
  EXPECT_TRUE(check_writable(path("f")).ok());
  ASSERT_TRUE(write_file(path("f"), "new").ok());
  EXPECT_EQ(entries(), 1);
}
TEST_F(Files, ATemporaryFileThatIsBeingWrittenIsLeftAlone) {
  for (const int number : {0, 7}) {
    const int fd = open(temporary(path("f"), number).c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(flock(fd, LOCK_EX), 0);  // the writer of a temporary file holds this lock
    ASSERT_TRUE(write_file(path("f"), "new").ok());
    EXPECT_TRUE(std::filesystem::exists(temporary(path("f"), number)));
    close(fd);
    ASSERT_TRUE(write_file(path("f"), "newer").ok());
    EXPECT_FALSE(std::filesystem::exists(temporary(path("f"), number)));
  }
}

TEST_F(Files, WritersOfOnePathDoNotHinderEachOther) {
  const std::string contents[2] = {std::string(50'000, 'a'), std::string(70'000, 'b')};
  std::vector<std::thread> writers;
  std::atomic<int> failed{0};
  for (int w = 0; w < 4; ++w)
    writers.emplace_back([&, w] {
      for (int i = 0; i < 20; ++i) failed += !write_file(path("f"), contents[w % 2]).ok();
    });
  for (auto& w : writers) w.join();
  EXPECT_EQ(failed, 0);
  const std::string left = *read_file(path("f"));
  EXPECT_TRUE(left == contents[0] || left == contents[1]);
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, LinksAreFollowed) {
  std::filesystem::create_directory(path("sub"));
  ASSERT_TRUE(write_file(path("sub/real"), "old").ok());
  std::filesystem::create_symlink("real", path("sub/second"));  // relative to the folder of the link
  std::filesystem::create_symlink(path("sub/second"), path("first"));
  ASSERT_TRUE(write_file(path("first"), "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(path("first")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("sub/second")));
  EXPECT_EQ(*read_file(path("sub/real")), "new");
  std::filesystem::create_symlink("nothing yet", path("dangling"));
  ASSERT_TRUE(write_file(path("dangling"), "new").ok());
  EXPECT_EQ(*read_file(path("nothing yet")), "new");
  std::filesystem::create_symlink("circle", path("circle"));
  EXPECT_FALSE(write_file(path("circle"), "new").ok());
}

TEST_F(Files, PermissionsAreKeptAndNewFilesFollowTheMask) {
  auto mode = [&](const std::string& name) {
    struct stat s;
    return stat(path(name).c_str(), &s) == 0 ? s.st_mode & 07777 : 0;
  };
  for (mode_t m : {0600, 0640, 0755}) {
    ASSERT_TRUE(write_file(path("f"), "old").ok());
    ASSERT_EQ(chmod(path("f").c_str(), m), 0);
    ASSERT_TRUE(write_file(path("f"), "new").ok());
    EXPECT_EQ(mode("f"), m);
  }
  const mode_t before = umask(027);
  ASSERT_TRUE(write_file(path("g"), "new").ok());
  umask(before);
  EXPECT_EQ(mode("g"), 0640u);
}

TEST_F(Files, APipeIsWrittenWholeAndWithoutAReaderRefused) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(write_file(path("pipe"), "nobody reads").ok());
  const std::string contents(1 << 20, 'x');  // more than a pipe holds, so that one write() is not enough
  const int fd = open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(fd, 0);
  std::string read_back;
  std::thread reader([&] {
    char buffer[8192];
    while (read_back.size() < contents.size())
      if (const ssize_t n = read(fd, buffer, sizeof buffer); n > 0)
        read_back.append(buffer, static_cast<size_t>(n));
  });
  EXPECT_TRUE(write_file(path("pipe"), contents).ok());
  reader.join();
  close(fd);
  EXPECT_EQ(read_back, contents);
}

TEST_F(Files, ReadingStopsAtTheLimit) {
  ASSERT_TRUE(write_file(path("f"), std::string(100, 'x')).ok());
  EXPECT_TRUE(read_file(path("f"), 100).ok());
  EXPECT_FALSE(read_file(path("f"), 99).ok());
}
TEST_F(Files, ReadingAPipeOrAFileLargerThanMemoryFailsAtOnce) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  auto pipe = read_file(path("pipe"));
  ASSERT_FALSE(pipe.ok());
  EXPECT_NE(pipe.error().what.find("not a regular file"), std::string::npos);
  ASSERT_TRUE(write_file(path("sparse"), "").ok());
  std::filesystem::resize_file(path("sparse"), uint64_t{1} << 43);
  auto sparse = read_file(path("sparse"), UINT64_MAX);
  ASSERT_FALSE(sparse.ok());
  EXPECT_NE(sparse.error().what.find("there is not enough memory for them"), std::string::npos);
}

}  // namespace
}  // namespace cutset
