package refunds

import "testing"

type run struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Steps  []struct {
		Status string `json:"status"`
	} `json:"steps"`
}

func TestARunSucceedsAfterItsApproval(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	var made run
	inputs := map[string]any{"inputs": map[string]string{"order": "42"}}
	world.Call(t, "POST", "/playbooks/"+world.Playbooks["needsApproval"]+"/runs", inputs, &made)
	approved := false
	for polls := 0; polls < 50; polls++ {
		var seen run
		world.Call(t, "GET", "/runs/"+made.ID, nil, &seen)
		if seen.Status == "succeeded" {
			return
		}
		if seen.Status == "failed" {
			t.Fatal("The run has failed.")
		}
		if last := len(seen.Steps) - 1; last >= 0 && seen.Steps[last].Status == "waiting_approval" && !approved {
			world.Control(t, "POST", "runs/"+made.ID+"/approve", map[string]any{}, nil)
			approved = true
		}
	}
	t.Fatal("The run did not succeed.")
}

func TestAWorldHasALogOfItsOwn(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	world.Call(t, "GET", "/providers", nil, nil)
	var log []map[string]any
	world.Control(t, "GET", "requests", nil, &log)
	if len(log) != 1 {
		t.Fatalf("The log has %d requests.", len(log))
	}
}
