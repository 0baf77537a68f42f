package refunds

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"testing"
)

// World is what a test has for itself on the sandbox: runs, limits, faults and a log. Start the sandbox before: npm run sandbox.
type World struct {
	URL       string
	BaseURL   string            `json:"baseUrl"`
	Keys      map[string]string `json:"keys"`
	Playbooks map[string]string `json:"playbooks"`
}

func newWorld(t *testing.T) *World {
	t.Helper()
	name := make([]byte, 8)
	rand.Read(name)
	sandbox := os.Getenv("SANDBOX_URL")
	if sandbox == "" {
		sandbox = "http://127.0.0.1:4010"
	}
	world := &World{URL: fmt.Sprintf("%s/w/%s", sandbox, hex.EncodeToString(name))}
	// Each GET of a run moves it on by a step, so that no test waits.
	request(t, "PUT", world.URL, "", map[string]any{"progress": "poll"}, world)
	t.Cleanup(func() { request(t, "DELETE", world.URL, "", nil, nil) })
	return world
}

// Control sends a request below /__sandbox/ of this world.
func (world *World) Control(t *testing.T, method, command string, body, result any) {
	t.Helper()
	request(t, method, world.URL+"/__sandbox/"+command, "", body, result)
}

// Call sends a request to the API of this world.
func (world *World) Call(t *testing.T, method, path string, body, result any) {
	t.Helper()
	request(t, method, world.BaseURL+path, world.Keys["valid"], body, result)
}

func request(t *testing.T, method, url, key string, body, result any) {
	t.Helper()
	var data bytes.Buffer
	if body != nil {
		json.NewEncoder(&data).Encode(body)
	}
	req, err := http.NewRequest(method, url, &data)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		t.Fatalf("%s %s: %s", method, url, res.Status)
	}
	if result != nil {
		if err := json.NewDecoder(res.Body).Decode(result); err != nil {
			t.Fatal(err)
		}
	}
}
