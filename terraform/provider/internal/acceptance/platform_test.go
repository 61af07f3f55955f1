// Package acceptance drives a real tofu or terraform against a sless platform of its own, which local mode runs on this machine.
package acceptance

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// repository is where local mode lies.
const repository = "../../../.."

// platform is a sless platform, and who may use it.
type platform struct {
	endpoint string
	token    string
}

var local platform

// scratch is a folder that goes when all tests are over.
var scratch string

// startTime is what local mode needs for its samples on a busy machine.
const startTime = 90 * time.Second

func TestMain(m *testing.M) {
	if os.Getenv("TF_ACC") == "" {
		fmt.Println("acceptance tests are left out: TF_ACC is not set")
		os.Exit(m.Run())
	}
	os.Exit(withPlatform(m.Run))
}

func withPlatform(run func() int) int {
	if err := chooseTerraform(); err != nil {
		fmt.Println("acceptance tests cannot run:", err)
		return 1
	}
	folder, err := os.MkdirTemp("", "sless-terraform-")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(folder)
	scratch = folder
	stop, err := startLocal(filepath.Join(folder, "platform"))
	if err != nil {
		fmt.Println("local mode does not start:", err)
		return 1
	}
	defer stop()
	return run()
}

// startLocal starts local mode with its state in the folder, and tells how to end it. What is set already is used as it is: a platform
// on a cluster.
func startLocal(folder string) (func(), error) {
	if endpoint := os.Getenv("SLESS_ENDPOINT"); endpoint != "" {
		local = platform{endpoint: endpoint, token: os.Getenv("SLESS_API_TOKEN")}
		return func() {}, nil
	}
	command := exec.Command(filepath.Join(repository, "node_modules/node/bin/node"), filepath.Join(repository, "src/bin/sless.ts"), "local")
	command.Env = append(os.Environ(), "SLESS_DIR="+folder, "PORT=0")
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	stop := func() {
		_ = command.Process.Signal(syscall.SIGINT)
		_ = command.Wait()
	}
	ready := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(output)
		for lines.Scan() {
			if address, found := strings.CutPrefix(lines.Text(), "sless ready "); found {
				ready <- address
			}
		}
	}()
	select {
	case address := <-ready:
		token, err := os.ReadFile(filepath.Join(folder, "token"))
		local = platform{endpoint: address, token: strings.TrimSpace(string(token))}
		return stop, err
	case <-time.After(startTime):
		stop()
		return nil, fmt.Errorf("nothing after %s", startTime)
	}
}

// chooseTerraform finds what is driven: TF_ACC_TERRAFORM_PATH, tofu or terraform on the PATH, or the tofu that terraform/build-tofu.sh made.
func chooseTerraform() error {
	path := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if path == "" {
		path = findTerraform()
	}
	version, err := exec.Command(path, "version").Output()
	if err != nil {
		return fmt.Errorf("%q does not run, and neither tofu nor terraform is on the PATH: terraform/build-tofu.sh makes one", path)
	}
	fmt.Println("driving", path, regexp.MustCompile(`(?m)^(OpenTofu|Terraform) v.*$`).FindString(string(version)))
	registry := "registry.terraform.io"
	if strings.Contains(string(version), "OpenTofu") {
		registry = "registry.opentofu.org"
	}
	for name, value := range map[string]string{
		"TF_ACC_TERRAFORM_PATH":     path,
		"TF_ACC_PROVIDER_HOST":      registry,
		"TF_ACC_PROVIDER_NAMESPACE": "sless",
		"CHECKPOINT_DISABLE":        "1",
		"TF_CLI_CONFIG_FILE":        os.DevNull,
		"TF_IN_AUTOMATION":          "1",
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

func findTerraform() string {
	for _, name := range []string{"tofu", "terraform"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "sless-terraform/bin/tofu")
}
