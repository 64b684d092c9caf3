// Checks by Porcupine whether the calls of a lab's clients are linearizable: each key of the map by itself.
//
//	go run . [-timeout 2m] calls.jsonl
//
// The format of the file is described by CallEntry in dev/lab. Prints a verdict and ends with 0 if the calls are
// linearizable, 1 if they are not, 2 if the file cannot be read, 3 if the time was too short to decide.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// entry is a line: with an op, a call is made; with an outcome, it has ended.
type entry struct {
	At       int64
	Call     int64
	Client   int
	Op       string
	Key      string
	Value    int64
	Expected int64
	Outcome  string
	Result   int64
}

type input struct {
	op       string
	value    int64
	expected int64
}

type output struct {
	told   bool // or else any result is possible
	result int64
}

// register is one key of the map. Its state is the value, 0 if there is none.
var register = porcupine.Model{
	Init: func() interface{} { return int64(0) },
	Step: func(state, in, out interface{}) (bool, interface{}) {
		before, call, answer := state.(int64), in.(input), out.(output)
		result, after := before, before
		switch call.op {
		case "put":
			after = call.value
		case "remove":
			after = 0
		case "cas":
			result = 0
			if before == call.expected {
				result, after = 1, call.value
			}
		}
		return !answer.told || answer.result == result, after
	},
}

// read returns the operations on each key. A call of unknown outcome may be executed until the end, so it returns then;
// one that was refused was not executed, and a get of unknown outcome says nothing: both are left out.
func read(in io.Reader) (map[string][]porcupine.Operation, error) {
	made := map[int64]entry{}
	keys := map[string][]porcupine.Operation{}
	add := func(call entry, out output, end int64) {
		operation := porcupine.Operation{
			ClientId: call.Client,
			Input:    input{call.Op, call.Value, call.Expected},
			Call:     call.At,
			Output:   out,
			Return:   end,
		}
		keys[call.Key] = append(keys[call.Key], operation)
	}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF { // what is left was torn when the lab was interrupted
			break
		} else if err != nil {
			return nil, err
		}
		var one entry
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		call, open := made[one.Call]
		switch {
		case one.Op == "get" || one.Op == "put" || one.Op == "remove" || one.Op == "cas":
			made[one.Call] = one
		case open && one.Outcome == "told":
			delete(made, one.Call)
			add(call, output{true, one.Result}, one.At)
		case open && one.Outcome == "refused":
			delete(made, one.Call)
		case open && one.Outcome == "unknown": // stays as it is
		default:
			return nil, fmt.Errorf("not a call or its end: %q", line)
		}
	}
	for _, call := range made {
		if call.Op != "get" {
			add(call, output{}, math.MaxInt64)
		}
	}
	return keys, nil
}

func main() {
	timeout := flag.Duration("timeout", 2*time.Minute, "for each key")
	flag.Parse()
	file, err := os.Open(flag.Arg(0))
	if err != nil {
		fail(err)
	}
	defer file.Close()
	keys, err := read(file)
	if err != nil {
		fail(err)
	}
	os.Exit(judge(keys, *timeout))
}

func judge(keys map[string][]porcupine.Operation, timeout time.Duration) int {
	names := make([]string, 0, len(keys))
	for name := range keys {
		names = append(names, name)
	}
	sort.Strings(names)
	calls, code := 0, 0
	for _, name := range names {
		calls += len(keys[name])
		switch porcupine.CheckOperationsTimeout(register, keys[name], timeout) {
		case porcupine.Illegal:
			fmt.Printf("no order of the %d calls to key %s\n", len(keys[name]), name)
			code = 1
		case porcupine.Unknown:
			fmt.Printf("not decided in %v: the %d calls to key %s\n", timeout, len(keys[name]), name)
			if code == 0 {
				code = 3
			}
		}
	}
	verdict := map[int]string{0: "LINEARIZABLE", 1: "NOT LINEARIZABLE", 3: "not decided"}[code]
	fmt.Printf("%d calls to %d keys: %s\n", calls, len(names), verdict)
	return code
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(2)
}
