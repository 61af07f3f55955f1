package code

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const entrypoint = "handler.handle"

func TestTheSameTreeMakesTheSameZipWhateverItsDates(t *testing.T) {
	one, other := t.TempDir(), t.TempDir()
	for _, folder := range []string{one, other} {
		put(t, folder, "handler.py", "def handle(event): return event\n")
		put(t, folder, "lib/b.py", "b")
		put(t, folder, "lib.py", "a")
	}
	if err := os.Chtimes(filepath.Join(other, "handler.py"), time.Unix(0, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(other, "handler.py"), 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := FromFolder(one, entrypoint)
	if err != nil {
		t.Fatal(err)
	}
	second, err := FromFolder(other, entrypoint)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Zip, second.Zip) || first.Hash != second.Hash {
		t.Error("two zips of one tree differ")
	}
}

func TestAFolderAndItsZipHaveOneHash(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, "src/handler.py", "x")
	put(t, folder, "src/tool", "y")
	if err := os.Chmod(filepath.Join(folder, "src/tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	made, err := FromFolder(folder, entrypoint)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "code.zip")
	if err := os.WriteFile(path, made.Zip, 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := FromZip(path, entrypoint)
	if err != nil {
		t.Fatal(err)
	}
	if read.Hash != made.Hash {
		t.Errorf("the folder has %s, its zip %s", made.Hash, read.Hash)
	}
}

func TestWhatCannotBeSentIsSaidInWords(t *testing.T) {
	empty, linked := t.TempDir(), t.TempDir()
	put(t, linked, "handler.py", "x")
	if err := os.Symlink("/etc/passwd", filepath.Join(linked, "data")); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{
		filepath.Join(empty, "none"):        "there is no folder",
		filepath.Join(linked, "handler.py"): "is no folder",
		empty:                               "holds no file to deploy",
		linked:                              "data is a link",
	} {
		if _, err := FromFolder(folder, entrypoint); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", folder, err, want)
		}
	}
	if _, err := FromZip(filepath.Join(linked, "handler.py"), entrypoint); err == nil || !strings.Contains(err.Error(), "is no zip") {
		t.Errorf("got %v", err)
	}
}

func TestAFileThatIsLeftOutMayBeALink(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, "handler.py", "x")
	put(t, folder, ".slessignore", "data\n")
	if err := os.Symlink("/etc/passwd", filepath.Join(folder, "data")); err != nil {
		t.Fatal(err)
	}
	if _, err := FromFolder(folder, entrypoint); err != nil {
		t.Error(err)
	}
}
