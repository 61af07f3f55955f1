package code

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// maxZipBytes is what the api takes.
const maxZipBytes = 32 << 20

// zipDate is that of every file: the same tree makes the same bytes, and zip knows no earlier year.
var zipDate = time.Date(1980, 1, 1, 12, 0, 0, 0, time.UTC)

// Archive is code as it is sent.
type Archive struct {
	Zip []byte
	// Hash is the code_hash that the api will find.
	Hash string
}

// FromFolder makes the zip of a folder, without what .gitignore and .slessignore leave out.
func FromFolder(folder, entrypoint string) (Archive, error) {
	sources, err := listFolder(folder)
	if err != nil {
		return Archive{}, err
	}
	var buffer bytes.Buffer
	writer := zip.NewWriter(&buffer)
	files := make([]File, 0, len(sources))
	for _, each := range sources {
		file, err := addFile(writer, each)
		if err != nil {
			return Archive{}, err
		}
		files = append(files, file)
	}
	if err := writer.Close(); err != nil {
		return Archive{}, err
	}
	return archiveOf(buffer.Bytes(), files, entrypoint)
}

// FromZip reads a zip that somebody else made. What is wrong with its entries is for the api to say.
func FromZip(filename, entrypoint string) (Archive, error) {
	content, err := os.ReadFile(filename)
	if err != nil {
		return Archive{}, err
	}
	reader, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return Archive{}, fmt.Errorf("%s is no zip: %w", filename, err)
	}
	files, err := zippedFiles(reader)
	if err != nil {
		return Archive{}, fmt.Errorf("%s: %w", filename, err)
	}
	return archiveOf(content, files, entrypoint)
}

func archiveOf(content []byte, files []File, entrypoint string) (Archive, error) {
	if len(content) > maxZipBytes {
		return Archive{}, fmt.Errorf("the zip is larger than %d MiB, which is what the platform takes", maxZipBytes>>20)
	}
	return Archive{Zip: content, Hash: Hash(withoutRoot(files, entrypoint))}, nil
}

// addFile puts a file into the zip and tells what became of it there.
func addFile(writer *zip.Writer, from source) (File, error) {
	header := &zip.FileHeader{Name: from.path, Method: zip.Deflate, Modified: zipDate}
	header.SetMode(0o644)
	if from.executable {
		header.SetMode(0o755)
	}
	entry, err := writer.CreateHeader(header)
	if err != nil {
		return File{}, err
	}
	content, err := os.Open(from.disk)
	if err != nil {
		return File{}, err
	}
	defer content.Close()
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(entry, hash), content); err != nil {
		return File{}, err
	}
	return File{Path: normalPath(from.path), Executable: from.executable, SHA256: hex.EncodeToString(hash.Sum(nil))}, nil
}

func zippedFiles(reader *zip.Reader) ([]File, error) {
	var files []File
	var unpacked int64
	for _, entry := range reader.File {
		path := normalPath(entry.Name)
		if path == "" {
			continue
		}
		content, err := entry.Open()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name, err)
		}
		hash := sha256.New()
		size, err := io.Copy(hash, io.LimitReader(content, maxUnpackedBytes-unpacked+1))
		content.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name, err)
		}
		if unpacked += size; unpacked > maxUnpackedBytes {
			return nil, errors.New("it unpacks to more than 256 MiB")
		}
		files = append(files, File{Path: path, Executable: isExecutable(entry), SHA256: hex.EncodeToString(hash.Sum(nil))})
	}
	return files, nil
}

// isExecutable reads the Unix mode in the upper half of the attributes, whoever says to have written it: as the api does.
func isExecutable(entry *zip.File) bool {
	return entry.ExternalAttrs>>16&0o111 != 0
}
