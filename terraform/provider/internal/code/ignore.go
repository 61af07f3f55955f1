package code

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// alwaysLeftOut is never code, wherever it lies: dependencies are installed by the build. The command line has the same list;
// test/vectors/ignored-files.json holds the two together.
var alwaysLeftOut = []string{
	".git/", ".sless/", ".DS_Store", "__pycache__/", "*.pyc", "node_modules/", ".venv/",
	".slessignore", ".gitignore", "sless.yaml",
}

// rule is one line of a .gitignore file.
type rule struct {
	pattern    string
	keeps      bool
	foldersAre bool // the line ended in a slash: only folders are meant
}

// rules are lines in their order; the last that matches decides.
type rules []rule

// rulesOf reads what a folder leaves out: first what is never code, then .gitignore, then .slessignore, which has the last word.
func rulesOf(folder string) (rules, error) {
	found := parseRules(alwaysLeftOut)
	for _, name := range []string{".gitignore", ".slessignore"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, parseRules(strings.Split(string(text), "\n"))...)
	}
	return found, nil
}

func parseRules(lines []string) rules {
	var parsed rules
	for _, line := range lines {
		if one, ok := parseRule(line); ok {
			parsed = append(parsed, one)
		}
	}
	return parsed
}

// parseRule reads a line as gitignore(5) says; doublestar does the matching.
func parseRule(line string) (rule, bool) {
	text := trimmed(strings.TrimSuffix(line, "\r"))
	if text == "" || strings.HasPrefix(text, "#") {
		return rule{}, false
	}
	var made rule
	if after, found := strings.CutPrefix(text, "!"); found {
		made.keeps, text = true, after
	}
	if before, found := strings.CutSuffix(text, "/"); found {
		made.foldersAre, text = true, before
	}
	anchored := strings.Contains(text, "/")
	text = strings.TrimPrefix(text, "/")
	if !anchored {
		text = "**/" + text
	}
	// "a/**" means what lies in a, not a itself.
	if strings.HasSuffix(text, "/**") {
		text += "/*"
	}
	made.pattern = withoutBraces(text)
	return made, text != "" && doublestar.ValidatePattern(made.pattern)
}

// trimmed takes away spaces at the end but one that a backslash keeps.
func trimmed(line string) string {
	text := strings.TrimRight(line, " \t")
	if strings.HasSuffix(text, `\`) && len(text) < len(line) {
		return text + line[len(text):len(text)+1]
	}
	return text
}

// withoutBraces: {a,b} is an alternative to doublestar and plain text to git.
func withoutBraces(pattern string) string {
	return strings.NewReplacer("{", `\{`, "}", `\}`).Replace(pattern)
}

// ignores tells whether a path, with slashes and relative to the folder, is left out. What lies in a folder that is left out is
// never asked about.
func (all rules) ignores(path string, isFolder bool) bool {
	for index := len(all) - 1; index >= 0; index-- {
		each := all[index]
		if each.foldersAre && !isFolder {
			continue
		}
		if doublestar.MatchUnvalidated(each.pattern, path) {
			return !each.keeps
		}
	}
	return false
}
