package spec

import "github.com/go-json-experiment/json/jsontext"

var resourceShape = &shape[ResourceContents]{what: "resource", fields: []field[ResourceContents]{
	must(set("uri", readText, func(r *ResourceContents) *string { return &r.URI })),
	opt("mimeType", ptr(readText), func(r *ResourceContents) **string { return &r.MimeType }),
	opt("text", ptr(readText), func(r *ResourceContents) **string { return &r.Text }),
	opt("blob", ptr(readText), func(r *ResourceContents) **string { return &r.Blob }),
}}

func blockFields() (text, data, mime, resource, uri, name, optMime field[ToolContent]) {
	text = must(set("text", ptr(readText), func(c *ToolContent) **string { return &c.Text }))
	data = must(set("data", ptr(readText), func(c *ToolContent) **string { return &c.Data }))
	mime = must(set("mimeType", ptr(readText), func(c *ToolContent) **string { return &c.MimeType }))
	resource = must(set("resource", ptr(of(resourceShape)), func(c *ToolContent) **ResourceContents { return &c.Resource }))
	uri = must(set("uri", ptr(readText), func(c *ToolContent) **string { return &c.URI }))
	name = opt("name", ptr(readText), func(c *ToolContent) **string { return &c.Name })
	optMime = opt("mimeType", ptr(readText), func(c *ToolContent) **string { return &c.MimeType })
	return
}

// readBlock reads one block of a result as a worker sends it (wire 6).
var readBlock = func() reader[ToolContent] {
	text, data, mime, resource, uri, name, optMime := blockFields()
	shapes := map[string]*shape[ToolContent]{
		string(BlockText):         {what: "text block", fields: []field[ToolContent]{text}},
		string(BlockImage):        {what: "image block", fields: []field[ToolContent]{data, mime}},
		string(BlockAudio):        {what: "audio block", fields: []field[ToolContent]{data, mime}},
		string(BlockResource):     {what: "resource block", fields: []field[ToolContent]{resource}},
		string(BlockResourceLink): {what: "resource_link block", fields: []field[ToolContent]{uri, name, optMime}},
	}
	return func(p *place, v jsontext.Value) (ToolContent, *Fault) {
		var c ToolContent
		kind, members, f := readTag(p, v, "block")
		if f != nil {
			return c, f
		}
		s, ok := shapes[kind]
		if !ok {
			return c, p.member("type").fault("unknown block type %q, expected one of text, image, audio, resource, resource_link", kind)
		}
		c.Type = BlockKind(kind)
		return c, s.readMembers(p, members, &c)
	}
}()

// ParseBlock reads one content block as a worker sends it (wire 6). It is safe
// for concurrent use.
func ParseBlock(body []byte) (ToolContent, *Fault) { return parse(body, readBlock, strict) }

var storedContentShape = &shape[StoredContent]{what: "stored block", fields: []field[StoredContent]{
	must(set("type", oneOf[BlockKind]("block type", BlockText, BlockBlob, BlockLink), func(c *StoredContent) *BlockKind { return &c.Type })),
	opt("text", ptr(readText), func(c *StoredContent) **string { return &c.Text }),
	opt("uri", readText, func(c *StoredContent) *string { return &c.URI }),
	opt("name", ptr(readText), func(c *StoredContent) **string { return &c.Name }),
	opt("mimeType", ptr(readText), func(c *StoredContent) **string { return &c.MimeType }),
}}

var storedResultShape = &shape[StoredResult]{what: "stored result", fields: []field[StoredResult]{
	set("content", list(of(storedContentShape)), func(r *StoredResult) *[]StoredContent { return &r.Content }),
	opt("structuredContent", readAny, func(r *StoredResult) *jsontext.Value { return &r.StructuredContent }),
	set("isError", readBool, func(r *StoredResult) *bool { return &r.IsError }),
}}

var errorInfoShape = &shape[ErrorInfo]{what: "error", fields: []field[ErrorInfo]{
	must(set("message", readText, func(e *ErrorInfo) *string { return &e.Message })),
	must(set("code", readCode, func(e *ErrorInfo) *ErrorCode { return &e.Code })),
	opt("param", readText, func(e *ErrorInfo) *string { return &e.Param }),
	opt("detail", readAny, func(e *ErrorInfo) *jsontext.Value { return &e.Detail }),
}}

var readCode = oneOf("error code", CodeProviderError, CodeRateLimited, CodeRefused, CodeBudgetExceeded,
	CodeDeadlineExceeded, CodeInvalidResponse, CodeHandlerError, CodeWorkerUnreachable, CodeUnroutable, CodeInternal)
