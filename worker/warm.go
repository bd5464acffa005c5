package main

import (
	"google.golang.org/protobuf/proto"

	workerv1 "rookery/proto/rookery/worker/v1"
)

// warm has protobuf build its tables of the messages that the first two calls bring, half a millisecond of work that they would
// otherwise wait for. It touches this process's memory alone, so it may run before the gate opens: the supervisor is making the pid
// durable meanwhile.
func warm() {
	for _, m := range []proto.Message{
		&workerv1.HelloRequest{}, &workerv1.HelloResponse{}, &workerv1.AssignResponse{},
		&workerv1.AssignRequest{
			Session: &workerv1.Session{}, Task: &workerv1.Task{}, Limits: &workerv1.Limits{}, Grants: &workerv1.Grants{},
		},
	} {
		// Empty messages fit, and an error would come again where it is looked at.
		if wire, err := proto.Marshal(m); err == nil {
			_ = proto.Unmarshal(wire, m)
		}
	}
}
