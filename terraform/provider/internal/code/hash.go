// Package code turns a folder or a zip into what the api takes, and tells its code_hash before anything is sent.
package code

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// File is a file of a function, normalised as the api normalises it.
type File struct {
	// Path has slashes, composed letters and no folder above it.
	Path       string
	Executable bool
	// SHA256 of the content, in lower-case hex.
	SHA256 string
}

// Hash is the code_hash of a tree: SHA-256 over the lines "644|755 <sha256 hex> <path>\n", sorted by the bytes of the path. Dates and the
// order in a zip do not matter. test/vectors/code-hash.json holds it to that of the api.
func Hash(files []File) string {
	sorted := slices.SortedFunc(slices.Values(files), func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	hash := sha256.New()
	for _, file := range sorted {
		mode := "644"
		if file.Executable {
			mode = "755"
		}
		fmt.Fprintf(hash, "%s %s %s\n", mode, file.SHA256, file.Path)
	}
	return hex.EncodeToString(hash.Sum(nil))
}
