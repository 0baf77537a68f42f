// A client of net/http; FAULT plants a fault.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

var (
	fault   = os.Getenv("FAULT")
	client  = &http.Client{Timeout: 3 * time.Second}
	unknown = errors.New("it is not known whether the run was started")
)

func call(method, path string, body any) (map[string]any, error) {
	text, _ := json.Marshal(body)
	for range 6 {
		request, _ := http.NewRequest(method, os.Getenv("WORKFLOW_BASE_URL")+path, bytes.NewReader(text))
		request.Header.Set("Authorization", "Bearer "+os.Getenv("WORKFLOW_API_KEY"))
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err != nil {
			if method == "POST" && fault != "resends after a timeout" {
				return nil, unknown
			}
			time.Sleep(300 * time.Millisecond)
			continue
		}
		content, _ := io.ReadAll(response.Body)
		response.Body.Close()
		switch status := response.StatusCode; {
		case status == 429:
			wait, err := strconv.Atoi(response.Header.Get("Retry-After"))
			pause := time.Duration(wait) * time.Second
			if err != nil {
				pause = time.Second
			}
			if fault == "ignores Retry-After" {
				pause = 300 * time.Millisecond
			}
			time.Sleep(pause)
		case status == 500:
			time.Sleep(300 * time.Millisecond)
		case status > 500 && method == "POST":
			return nil, unknown
		case status >= 400:
			return nil, fmt.Errorf("%s %s: %d", method, path, status)
		default:
			var result map[string]any
			return result, json.Unmarshal(content, &result)
		}
	}
	return nil, errors.New("gave up")
}

func must(result map[string]any, err error) map[string]any {
	if err != nil {
		log.Fatal(err)
	}
	return result
}

func main() {
	if inject := os.Getenv("INJECT"); inject != "" {
		http.Post(os.Getenv("SANDBOX_URL")+"/__sandbox/inject", "application/json", bytes.NewBufferString(inject))
	}
	playbooks := must(call("GET", "/playbooks", nil))["data"].([]any)
	playbook := playbooks[0].(map[string]any)["id"].(string)
	for order := range 4 {
		inputs := map[string]any{"inputs": map[string]string{"order": strconv.Itoa(order)}}
		run, err := call("POST", "/playbooks/"+playbook+"/runs", inputs)
		if errors.Is(err, unknown) {
			log.Print(err)
			continue
		}
		id := must(run, err)["id"].(string)
		for range 10 {
			must(call("GET", "/runs/"+id, nil))
			time.Sleep(100 * time.Millisecond)
		}
	}
}
