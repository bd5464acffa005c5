package operate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	reflection "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"rookery/integration/rig"
)

// A client that has nothing but the socket: it learns the service by reflection, as grpcurl does.
func TestAClientThatKnowsOnlyReflectionCanEndADelegation(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, watch())
	child := h.RunningChild("sleep")
	ctx, cancel := context.WithTimeout(context.Background(), rig.Soon)
	defer cancel()
	service := learn(ctx, t, h, "rookery.operator.v1.OperatorService")
	method := service.Methods().ByName("KillDelegation")
	require.NotNil(t, method)

	request, answer := dynamicpb.NewMessage(method.Input()), dynamicpb.NewMessage(method.Output())
	request.Set(method.Input().Fields().ByName("delegation_id"), protoreflect.ValueOfString(child.GetDelegationId()))
	request.Set(method.Input().Fields().ByName("reason"), protoreflect.ValueOfString("seen from outside"))
	require.NoError(t, h.Conn.Invoke(ctx, "/"+string(service.FullName())+"/"+string(method.Name()), request, answer))
	assert.True(t, rig.Gone(int(child.GetPid())))
	ended := answer.Get(method.Output().Fields().ByName("delegation")).Message()
	for field, want := range map[protoreflect.Name]string{
		"delegation_id": child.GetDelegationId(), "status": "terminated", "detail": "ended by an operator: seen from outside", "killed_by": "operator",
	} {
		assert.Equal(t, want, ended.Get(ended.Descriptor().Fields().ByName(field)).String())
	}
}

// learn asks the reflection service for a service and everything its file is made of.
func learn(ctx context.Context, t *testing.T, h *rig.Host, name string) protoreflect.ServiceDescriptor {
	t.Helper()
	stream, err := reflection.NewServerReflectionClient(h.Conn).ServerReflectionInfo(ctx)
	require.NoError(t, err)
	require.NoError(t, stream.Send(&reflection.ServerReflectionRequest{
		MessageRequest: &reflection.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: name},
	}))
	response, err := stream.Recv()
	require.NoError(t, err)
	require.NoError(t, stream.CloseSend())
	set := &descriptorpb.FileDescriptorSet{}
	for _, raw := range response.GetFileDescriptorResponse().GetFileDescriptorProto() {
		file := &descriptorpb.FileDescriptorProto{}
		require.NoError(t, proto.Unmarshal(raw, file))
		set.File = append(set.File, file)
	}
	files, err := protodesc.NewFiles(set)
	require.NoError(t, err)
	found, err := files.FindDescriptorByName(protoreflect.FullName(name))
	require.NoError(t, err)
	service, ok := found.(protoreflect.ServiceDescriptor)
	require.True(t, ok)
	return service
}
