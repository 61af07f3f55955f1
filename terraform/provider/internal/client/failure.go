package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"sless.dev/terraform-provider-sless/internal/api"
)

// Failure is what the api said instead of doing it.
type Failure struct {
	Status int
	// Code is one word of the table of errors; empty where something else than sless answered.
	Code api.ErrorCode
	text string
}

func (f *Failure) Error() string { return f.text }

// failureOf reads an error of the api: its sentence, its code, and a line more for each of several mistakes.
func failureOf(response *http.Response, body []byte) *Failure {
	var said api.Error
	if json.Unmarshal(body, &said) != nil || said.Error == "" || said.Code == "" {
		where := response.Request.URL.Redacted()
		return &Failure{Status: response.StatusCode, text: fmt.Sprintf("HTTP %d from %s, which does not look like sless", response.StatusCode, where)}
	}
	text := fmt.Sprintf("%s (%s)", said.Error, said.Code)
	if said.Details != nil && len(*said.Details) > 1 {
		text += "\n  " + strings.Join(*said.Details, "\n  ")
	}
	return &Failure{Status: response.StatusCode, Code: said.Code, text: text}
}

// IsNotFound tells whether the object itself is not there. A namespace that is missing, or a proxy's own 404, is another thing:
// whatever was in it must not be taken for deleted.
func IsNotFound(err error) bool { return hasCode(err, api.ErrorCodeNotFound) }

// IsTaken tells whether there is an object of that name already.
func IsTaken(err error) bool { return hasCode(err, api.ErrorCodeAlreadyExists) }

// IsMissing tells whether the installation has no such feature, or nothing to show of it.
func IsMissing(err error) bool {
	return hasCode(err, api.ErrorCodeNotImplemented) || hasCode(err, api.ErrorCodeNoSuchVersion)
}

func hasCode(err error, code api.ErrorCode) bool {
	var failure *Failure
	return errors.As(err, &failure) && failure.Code == code
}
