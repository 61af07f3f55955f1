package acceptance

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// program is the provider as users have it: a file that Terraform starts.
var program = sync.OnceValues(func() (string, error) {
	folder := filepath.Join(scratch, "provider")
	build := exec.Command("go", "build", "-o", filepath.Join(folder, "terraform-provider-sless"), "../..")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, said)
	}
	rc := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"sless/sless\" = %q\n  }\n  direct {}\n}\n", folder)
	return filepath.Join(folder, "rc"), os.WriteFile(filepath.Join(folder, "rc"), []byte(rc), 0o600)
})

// workspace is a folder in which somebody types terraform.
type workspace struct {
	t        *testing.T
	folder   string
	endpoint string
}

// newWorkspace copies an example into a folder of its own.
func newWorkspace(t *testing.T, example string) *workspace {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set")
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Join("../../examples", example))); err != nil {
		t.Fatal(err)
	}
	return &workspace{t: t, folder: folder, endpoint: local.endpoint}
}

// command is terraform with the provider that was built here.
func (w *workspace) command(words ...string) *exec.Cmd {
	w.t.Helper()
	rc, err := program()
	if err != nil {
		w.t.Fatal(err)
	}
	made := exec.Command(os.Getenv("TF_ACC_TERRAFORM_PATH"), words...)
	made.Dir = w.folder
	made.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+rc, "SLESS_ENDPOINT="+w.endpoint, "SLESS_API_TOKEN="+local.token,
		"TF_VAR_sless_endpoint="+w.endpoint, "TF_VAR_sless_token="+local.token)
	return made
}

// run types a command and tells its output and exit code.
func (w *workspace) run(words ...string) (string, int) {
	w.t.Helper()
	command := w.command(append(words, "-no-color")...)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	return output.String(), command.ProcessState.ExitCode()
}

// done types a command that must succeed.
func (w *workspace) done(words ...string) string {
	w.t.Helper()
	output, code := w.run(words...)
	if code != 0 {
		w.t.Fatalf("%v ended with %d:\n%s", words, code, output)
	}
	return output
}

func (w *workspace) write(name, content string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.folder, name), []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workspace) read(name string) string {
	w.t.Helper()
	content, err := os.ReadFile(filepath.Join(w.folder, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(content)
}

// interrupt begins an apply, presses Ctrl-C when it is told to, and expects it to stop soon.
func (w *workspace) interrupt(when <-chan struct{}) {
	w.t.Helper()
	command := w.command("apply", "-auto-approve", "-no-color")
	if err := command.Start(); err != nil {
		w.t.Fatal(err)
	}
	<-when
	asked := time.Now()
	_ = command.Process.Signal(syscall.SIGINT)
	if err := command.Wait(); err == nil {
		w.t.Error("an interrupted apply has succeeded")
	}
	if took := time.Since(asked); took > 10*time.Second {
		w.t.Errorf("it took %s to stop", took)
	}
}
