package spec

import "github.com/go-json-experiment/json/jsontext"

// ToolResult is a result as a worker sends it (wire 6).
type ToolResult struct {
	Content           []ToolContent  `json:"content"`
	StructuredContent jsontext.Value `json:"structuredContent,omitzero"`
	IsError           bool           `json:"isError,omitzero"`
}

// BlockKind names a kind of content block (wire 6).
type BlockKind string

// The kinds that a worker sends, and the two that only the engine records.
const (
	BlockText         BlockKind = "text"
	BlockImage        BlockKind = "image"
	BlockAudio        BlockKind = "audio"
	BlockResource     BlockKind = "resource"
	BlockResourceLink BlockKind = "resource_link"
	BlockBlob         BlockKind = "blob"
	BlockLink         BlockKind = "link"
)

// ToolContent is one block of a result as a worker sends it (wire 6). Which
// members count depends on Type.
type ToolContent struct {
	Type     BlockKind         `json:"type"`
	Text     *string           `json:"text,omitzero"`
	Data     *string           `json:"data,omitzero"`
	MimeType *string           `json:"mimeType,omitzero"`
	Resource *ResourceContents `json:"resource,omitzero"`
	URI      *string           `json:"uri,omitzero"`
	Name     *string           `json:"name,omitzero"`
}

// ResourceContents is an embedded resource (wire 6).
type ResourceContents struct {
	URI      string  `json:"uri"`
	MimeType *string `json:"mimeType,omitzero"`
	Text     *string `json:"text,omitzero"`
	Blob     *string `json:"blob,omitzero"`
}

// StoredContent is one block as the engine recorded it; bytes are never here
// (wire 6, F8).
type StoredContent struct {
	Type     BlockKind `json:"type"`
	Text     *string   `json:"text,omitzero"`
	URI      string    `json:"uri,omitzero"`
	Name     *string   `json:"name,omitzero"`
	MimeType *string   `json:"mimeType,omitzero"`
}

// StoredResult is a result as the engine recorded it (wire 6).
type StoredResult struct {
	Content           []StoredContent `json:"content"`
	StructuredContent jsontext.Value  `json:"structuredContent,omitzero"`
	IsError           bool            `json:"isError,omitzero"`
}
