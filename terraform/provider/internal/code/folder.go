package code

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxFiles         = 10_000
	maxUnpackedBytes = 256 << 20
)

// source is a file of a folder that belongs to the function.
type source struct {
	path       string // with slashes, relative to the folder
	disk       string
	executable bool
}

// listFolder finds the files of a function, in the order of their paths.
func listFolder(folder string) ([]source, error) {
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, fmt.Errorf("there is no folder %s", folder)
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder", folder)
	}
	ignored, err := rulesOf(root)
	if err != nil {
		return nil, err
	}
	walk := &walk{root: root, ignored: ignored}
	if err := filepath.WalkDir(root, walk.visit); err != nil {
		return nil, err
	}
	if len(walk.found) == 0 {
		return nil, fmt.Errorf("%s holds no file to deploy", folder)
	}
	return walk.found, nil
}

type walk struct {
	root    string
	ignored rules
	found   []source
	bytes   int64
}

func (w *walk) visit(disk string, entry fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	relative, err := filepath.Rel(w.root, disk)
	if err != nil || relative == "." {
		return err
	}
	path := filepath.ToSlash(relative)
	if w.ignored.ignores(path, entry.IsDir()) {
		if entry.IsDir() {
			return filepath.SkipDir
		}
		return nil
	}
	if entry.IsDir() {
		return nil
	}
	return w.take(source{path: path, disk: disk}, entry)
}

func (w *walk) take(file source, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is a link or a device, which a function cannot have; leave it out with .slessignore", file.path)
	}
	if strings.ContainsRune(file.path, '\\') {
		return fmt.Errorf("%s has a backslash in its name, which zips take for a folder; rename it", file.path)
	}
	w.bytes += info.Size()
	if w.bytes > maxUnpackedBytes {
		return errors.New("there are more than 256 MiB; leave some out with .slessignore")
	}
	if len(w.found) >= maxFiles {
		return fmt.Errorf("there are more than %d files; leave some out with .slessignore", maxFiles)
	}
	file.executable = info.Mode().Perm()&0o111 != 0
	w.found = append(w.found, file)
	return nil
}
