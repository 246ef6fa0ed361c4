package mcpserver

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/observe/backtrace"
)

// guard wraps every method. A panic becomes an error of this call alone, and long errors
// are cut.
func (s *Server) guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				s.logPanic(method, v)
				noteFailure(ctx, errPanic)
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: internalError}
			}
		}()
		r, err := requestBehind(req)
		if err != nil {
			return nil, err
		}
		leave, err := s.enter(r, method, req)
		if err != nil {
			return nil, err
		}
		defer leave()
		ctx, cancel := s.callContext(callContext{ctx, r}, method, req)
		defer cancel()
		defer s.cancelUnwanted(r, cancel)()
		res, err = next(ctx, method, req)
		if err != nil {
			noteFailure(ctx, wireFailure(err))
			return res, briefError(err)
		}
		if s.o.Brief != nil && r.bound {
			res = s.addBrief(ctx, res)
		}
		return res, nil
	}
}

// enter keeps the charge and the session of a request while its call runs, which may be
// longer than the request. The call "initialize" begins a session here.
func (s *Server) enter(r *request, method string, req mcp.Request) (leave func(), err error) {
	if !r.charge.join() {
		return nil, errGone
	}
	r.charge.seen.reach()
	held := r.session
	switch {
	case !r.sessions:
		return r.charge.leave, nil
	case held != nil:
		s.sessions.Again(held)
	case method == "initialize":
		ss := req.GetSession().(*mcp.ServerSession)
		if held, err = s.sessions.Begin(ss.ID(), r.caller, func() { ss.Close() }); err != nil {
			r.charge.leave()
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
		}
	}
	if held == nil {
		return r.charge.leave, nil
	}
	return func() { s.sessions.Release(held); r.charge.leave() }, nil
}

// callContext returns the context of one call. Calls that read or write the store have a
// deadline.
func (s *Server) callContext(
	ctx context.Context, method string, req mcp.Request,
) (context.Context, context.CancelFunc) {
	switch method {
	case callTool, readResource.name, completePath.name:
		timeout := s.o.Timeout
		if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && s.tools[p.Name].openWorld {
			timeout = max(timeout, summaryTimeout)
		}
		return context.WithTimeout(ctx, timeout)
	}
	return ctx, func() {}
}

// cancelUnwanted cancels a call over HTTP when Close has begun and the client has left.
func (s *Server) cancelUnwanted(r *request, cancel func()) (stop func() bool) {
	if r.client == nil {
		return func() bool { return true }
	}
	return context.AfterFunc(s.closing, func() { context.AfterFunc(r.client, cancel) })
}

// logPanic logs where a panic happened. Its value may quote what a caller sent.
func (s *Server) logPanic(where string, v any) {
	s.o.Logger.Error("panic", "in", where, "type", fmt.Sprintf("%T", v), "stack", backtrace.Text())
}
