// Package apierror writes errors in the JSON form of the Memory Stores API. The listener
// answers in it where a request does not reach the routes, and the routes answer in it too.
package apierror

import (
	"encoding/json"
	"net/http"
)

// The types of errors that a status does not determine.
const (
	PreconditionFailed = "memory_precondition_failed_error"
	PathConflict       = "memory_path_conflict_error"
)

// Type returns the type of an error with a status, which is not below 400.
func Type(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusConflict:
		return "conflict_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	}
	if status < http.StatusInternalServerError {
		return "invalid_request_error"
	}
	return "api_error"
}

// An Error is what a client is told.
type Error struct {
	Type    string `json:"type"`
	Message string `json:"message"`

	// With PathConflict, the path in the way and the id of its memory. "": not told.
	Path   string `json:"conflicting_path,omitempty"`
	Memory string `json:"conflicting_memory_id,omitempty"`
}

// JSON returns the body of an answer to the request of a number.
func (e Error) JSON(request string) string {
	b, err := json.Marshal(struct {
		Type    string `json:"type"`
		Error   Error  `json:"error"`
		Request string `json:"request_id"`
	}{"error", e, request})
	if err != nil {
		panic(err) // texts have a form in JSON
	}
	return string(b) + "\n"
}
