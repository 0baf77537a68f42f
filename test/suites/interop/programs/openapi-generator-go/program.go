package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"time"

	client "program/client"
)

func api(key string) (*client.APIClient, context.Context) {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	return client.NewAPIClient(configuration), context.WithValue(context.Background(), client.ContextAccessToken, key)
}

func expect(what string, ok bool, err error) {
	if !ok {
		log.Fatal(what, ": ", err)
	}
}

func hasStatus(response *http.Response, status int) bool {
	return response != nil && response.StatusCode == status
}

func main() {
	api1, ctx := api(os.Getenv("API_KEY"))
	playbooks, _, err := api1.PlaybooksAPI.ListPlaybooks(ctx).Execute()
	expect("list", err == nil && playbooks.Meta.Total == 4 && len(playbooks.Data) == 4, err)
	request := client.NewTriggerRunRequest(map[string]string{"order": "42"})
	triggered, _, err := api1.RunsAPI.TriggerRun(ctx, playbooks.Data[0].GetId()).TriggerRunRequest(*request).Execute()
	expect("trigger", err == nil && triggered.GetId() != "", err)
	var run *client.Run
	for range 100 {
		run, _, err = api1.RunsAPI.GetRun(ctx, triggered.GetId()).Execute()
		expect("poll", err == nil, err)
		if run.Status == "succeeded" || run.Status == "failed" {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	expect("succeeds", run.Status == "succeeded" && len(run.Steps) == 2, err)

	_, response, err := api1.RunsAPI.GetRun(ctx, "run_unknown").Execute()
	expect("404", hasStatus(response, 404), err)
	limited, ctx := api(os.Getenv("LIMITED_KEY"))
	_, response, err = limited.PlaybooksAPI.ListPlaybooks(ctx).Execute()
	expect("429", hasStatus(response, 429), err)
}
