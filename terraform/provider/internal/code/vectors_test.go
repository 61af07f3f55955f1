package code

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// vectors lie beside the tests of the api and of the command line, which they hold too.
const vectors = "../../../../test/vectors/"

type vectorFile struct {
	Name       string
	Path       string
	Executable bool
	Content    string
	Base64     []byte `json:"content_base64"`
}

func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(vectors + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func (file vectorFile) bytes() []byte {
	if file.Base64 != nil {
		return file.Base64
	}
	return []byte(file.Content)
}

func TestTheHashOfFilesIsThatOfTheApi(t *testing.T) {
	var given struct {
		Files []struct {
			Name     string
			Files    []vectorFile
			CodeHash string `json:"code_hash"`
		}
	}
	readVectors(t, "code-hash.json", &given)
	for _, vector := range given.Files {
		t.Run(vector.Name, func(t *testing.T) {
			var files []File
			for _, file := range vector.Files {
				sum := sha256.Sum256(file.bytes())
				files = append(files, File{Path: file.Path, Executable: file.Executable, SHA256: hex.EncodeToString(sum[:])})
			}
			if got := Hash(files); got != vector.CodeHash {
				t.Errorf("got %s, want %s", got, vector.CodeHash)
			}
		})
	}
}

func TestTheHashOfAZipIsThatOfTheApi(t *testing.T) {
	var given struct {
		Trees []struct {
			Name            string
			EntrypointFiles []string `json:"entrypoint_files"`
			Entries         []vectorFile
			CodeHash        string `json:"code_hash"`
		}
	}
	readVectors(t, "code-hash.json", &given)
	for _, vector := range given.Trees {
		t.Run(vector.Name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "code.zip")
			writeZip(t, path, vector.Entries)
			module := vector.EntrypointFiles[0]
			archive, err := FromZip(path, module[:len(module)-len(filepath.Ext(module))]+".handle")
			if err != nil {
				t.Fatal(err)
			}
			if archive.Hash != vector.CodeHash {
				t.Errorf("got %s, want %s", archive.Hash, vector.CodeHash)
			}
		})
	}
}

func writeZip(t *testing.T, path string, entries []vectorFile) {
	t.Helper()
	var buffer bytes.Buffer
	writer := zip.NewWriter(&buffer)
	for _, entry := range entries {
		header := &zip.FileHeader{Name: entry.Name, Method: zip.Deflate}
		header.SetMode(0o644)
		if entry.Executable {
			header.SetMode(0o755)
		}
		content, err := writer.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := content.Write(entry.bytes()); err != nil && len(entry.bytes()) > 0 {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, buffer.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestWhatAFolderLeavesOutIsWhatTheCommandLineLeavesOut(t *testing.T) {
	var given struct {
		Folders []struct {
			Name   string
			Ignore map[string]string
			Files  []string
			Kept   []string
		}
	}
	readVectors(t, "ignored-files.json", &given)
	for _, vector := range given.Folders {
		t.Run(vector.Name, func(t *testing.T) {
			folder := t.TempDir()
			for name, text := range vector.Ignore {
				put(t, folder, name, text)
			}
			for _, path := range vector.Files {
				put(t, folder, path, path)
			}
			found, err := listFolder(folder)
			if err != nil {
				t.Fatal(err)
			}
			var kept []string
			for _, each := range found {
				kept = append(kept, each.path)
			}
			slices.Sort(kept)
			if !slices.Equal(kept, vector.Kept) {
				t.Errorf("kept %q, want %q", kept, vector.Kept)
			}
		})
	}
}

func put(t *testing.T, folder, path, content string) {
	t.Helper()
	file := filepath.Join(folder, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
