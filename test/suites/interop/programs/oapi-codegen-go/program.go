package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"time"

	"program/client"
)

func api(key string) *client.ClientWithResponses {
	authorize := client.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	})
	api, err := client.NewClientWithResponses(os.Getenv("BASE_URL"), authorize)
	expect("client", err == nil, err)
	return api
}

func expect(what string, ok bool, err error) {
	if !ok {
		log.Fatal(what, ": ", err)
	}
}

func main() {
	ctx := context.Background()
	api1 := api(os.Getenv("API_KEY"))
	playbooks, err := api1.ListPlaybooksWithResponse(ctx, nil)
	expect("list", err == nil && playbooks.JSON200 != nil && len(playbooks.JSON200.Data) == 4, err)
	body := client.TriggerRunRequest{Inputs: client.RunInputs{"order": "42"}}
	triggered, err := api1.TriggerRunWithResponse(ctx, *playbooks.JSON200.Data[0].Id, nil, body)
	expect("trigger", err == nil && triggered.JSON201 != nil && triggered.JSON201.Id != nil, err)
	var run *client.GetRunResponse
	for range 100 {
		run, err = api1.GetRunWithResponse(ctx, *triggered.JSON201.Id, nil)
		expect("poll", err == nil && run.JSON200 != nil, err)
		if run.JSON200.Status == "succeeded" || run.JSON200.Status == "failed" {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	expect("succeeds", run.JSON200.Status == "succeeded" && len(run.JSON200.Steps) == 2, nil)

	missing, err := api1.GetRunWithResponse(ctx, "run_unknown", nil)
	expect("404", err == nil && missing.StatusCode() == 404, err)
	limited, err := api(os.Getenv("LIMITED_KEY")).ListPlaybooksWithResponse(ctx, nil)
	expect("429", err == nil && limited.JSON429 != nil && limited.JSON429.RetryAfter > 0, err)
}
