package code

import (
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// normalPath is an entry's name as the api reads it; empty for what belongs to no function: folders and what macOS adds.
func normalPath(name string) string {
	slashed := strings.ReplaceAll(name, `\`, "/")
	if strings.HasSuffix(slashed, "/") {
		return ""
	}
	cleaned := norm.NFC.String(strings.TrimPrefix(path.Clean("/"+slashed), "/"))
	if strings.HasPrefix(cleaned, "__MACOSX/") || path.Base(cleaned) == ".DS_Store" {
		return ""
	}
	return cleaned
}

// withoutRoot strips the single folder that everything lies in. It stays only where the entrypoint's module is found with it and not
// without it: a package of that name.
func withoutRoot(files []File, entrypoint string) []File {
	root := singleRoot(files)
	if root == "" {
		return files
	}
	stripped := make([]File, len(files))
	for index, file := range files {
		file.Path = strings.TrimPrefix(file.Path, root)
		stripped[index] = file
	}
	if hasModule(files, entrypoint) && !hasModule(stripped, entrypoint) {
		return files
	}
	return stripped
}

// singleRoot is the folder, with its slash, that every file lies in; empty where there is none.
func singleRoot(files []File) string {
	if len(files) == 0 {
		return ""
	}
	first, _, found := strings.Cut(files[0].Path, "/")
	if !found {
		return ""
	}
	root := first + "/"
	for _, file := range files {
		if !strings.HasPrefix(file.Path, root) {
			return ""
		}
	}
	return root
}

// hasModule tells whether there is a file for module.function. Which suffixes a runtime takes is for the api to know: here any will do,
// since all that hangs on it is whether code that did not change is sent again.
func hasModule(files []File, entrypoint string) bool {
	dot := strings.LastIndex(entrypoint, ".")
	if dot < 0 {
		return false
	}
	module := strings.ReplaceAll(entrypoint[:dot], ".", "/")
	for _, file := range files {
		rest, found := strings.CutPrefix(file.Path, module)
		if !found {
			continue
		}
		isFile := strings.HasPrefix(rest, ".") && strings.Count(rest, ".") == 1 && !strings.Contains(rest, "/")
		if isFile || strings.HasPrefix(rest, "/index.") || strings.HasPrefix(rest, "/__init__.") {
			return true
		}
	}
	return false
}
