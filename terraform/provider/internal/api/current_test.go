package api_test

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// The client in the tree is made by `npm run generate`, which only looks at what it is made of.
func TestTheClientIsWhatTheGeneratorMakes(t *testing.T) {
	if testing.Short() {
		t.Skip("the generator has to be compiled first, which takes half a minute")
	}
	command := exec.Command("go", "tool", "-modfile=tools/go.mod", "oapi-codegen", "-config", "internal/api/config.yaml", "../../openapi.json")
	command.Dir = "../.."
	command.Stderr = os.Stderr
	made, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile("api.gen.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := bytes.Cut(kept, []byte("\n\n"))
	if !bytes.Equal(body, made) {
		t.Error("api.gen.go was edited by hand, or is of another openapi.json: npm run generate")
	}
}
