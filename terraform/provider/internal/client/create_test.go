package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/oapi-codegen/nullable"

	"sless.dev/terraform-provider-sless/internal/api"
)

const hello = `{"name": "hello", "type": "cron", "function": "f", "enabled": true, "schedule": "@daily", "payload": null}`

var asked = api.TriggerCreate{
	Name: "hello", Type: "cron", Function: "f", Schedule: nullable.NewNullableWithValue("@daily"), Payload: nullable.NewNullNullable[string](),
}

func TestACreateIsSentOnce(t *testing.T) {
	client, count := serve(t, says(201, hello))
	made, err := client.CreateTrigger(context.Background(), asked)
	if err != nil || !made.Exists || made.Object.Name != "hello" || *count != 1 {
		t.Errorf("got %+v, %v", made, err)
	}
}

func TestACreateWhoseAnswerWasLostFindsWhatItMade(t *testing.T) {
	client, _ := serve(t, says(504, "", "Retry-After", "0"), says(409, `{"error": "taken", "code": "AlreadyExists"}`), says(200, hello))
	made, err := client.CreateTrigger(context.Background(), asked)
	if err != nil || !made.Exists {
		t.Errorf("got %+v, %v", made, err)
	}
}

func TestWhatSomebodyElseMadeMeanwhileIsNotTaken(t *testing.T) {
	theirs := strings.Replace(hello, "@daily", "@hourly", 1)
	client, _ := serve(t, says(504, "", "Retry-After", "0"), says(409, `{"error": "taken", "code": "AlreadyExists"}`), says(200, theirs))
	made, err := client.CreateTrigger(context.Background(), asked)
	if !IsTaken(err) || made.Exists {
		t.Errorf("got %+v, %v", made, err)
	}
}

func TestANameThatIsTakenIsLookedAtNoFurther(t *testing.T) {
	client, count := serve(t, says(409, `{"error": "taken", "code": "AlreadyExists"}`), says(200, hello))
	made, err := client.CreateTrigger(context.Background(), asked)
	if !IsTaken(err) || made.Exists || *count != 1 {
		t.Errorf("got %+v, %v after %d", made, err, *count)
	}
}

func TestAnInterruptedCreateTellsWhatItMade(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // net/http sees a caller leave only then
		interrupt()
		<-r.Context().Done()
	}
	client, _ := serve(t, hang, says(200, hello))
	began := time.Now()
	made, err := client.CreateTrigger(ctx, asked)
	if !errors.Is(err, context.Canceled) || !made.Exists || time.Since(began) > lookTime {
		t.Errorf("got %+v, %v after %s", made, err, time.Since(began))
	}
}

func TestACreateWhoseAnswerCannotBeReadFindsWhatItMade(t *testing.T) {
	for _, page := range []string{"<html>signed in</html>", `{"name": "hel`} {
		client, _ := serve(t, says(201, page), says(200, hello))
		made, err := client.CreateTrigger(context.Background(), asked)
		if err != nil || !made.Exists {
			t.Errorf("%s: got %+v, %v", page, made, err)
		}
	}
}
