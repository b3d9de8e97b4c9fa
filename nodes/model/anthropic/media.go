package anthropic

import (
	"encoding/base64"
	"fmt"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/graphrun/graphrun/state"
)

const pdf = "application/pdf"

// medium is a part that is no text: a picture or a document; what is neither is
// told in words.
func medium(p state.Part) sdk.ContentBlockParamUnion {
	if p.URL != "" {
		return linked(p)
	}
	data := base64.StdEncoding.EncodeToString(p.Data)
	switch p.MIME {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		return sdk.NewImageBlockBase64(p.MIME, data)
	case pdf:
		return sdk.NewDocumentBlock(sdk.Base64PDFSourceParam{Data: data})
	}
	if strings.HasPrefix(p.MIME, "text/") && len(p.Data) > 0 {
		return sdk.NewDocumentBlock(sdk.PlainTextSourceParam{Data: string(p.Data)})
	}
	return sdk.NewTextBlock(fmt.Sprintf("[%s left out: %d bytes of %s]", p.Type, len(p.Data), p.MIME))
}

// linked is a part that has an address. One that holds its data is that data.
func linked(p state.Part) sdk.ContentBlockParamUnion {
	if kind, ok := strings.CutPrefix(p.URL, "data:"); ok {
		kind, data, _ := strings.Cut(kind, ",")
		mime, isBase64 := strings.CutSuffix(kind, ";base64")
		if raw, err := base64.StdEncoding.DecodeString(data); isBase64 && err == nil {
			return medium(state.Part{Type: p.Type, MIME: mime, Data: raw})
		}
		return sdk.NewTextBlock(fmt.Sprintf("[%s left out: %d bytes]", p.Type, len(p.URL)))
	}
	switch {
	case p.MIME == pdf:
		return sdk.NewDocumentBlock(sdk.URLPDFSourceParam{URL: p.URL})
	case p.Type == "image" || p.Type == "image_url" || strings.HasPrefix(p.MIME, "image/"):
		return sdk.NewImageBlock(sdk.URLImageSourceParam{URL: p.URL})
	}
	return sdk.NewTextBlock("[" + p.Type + ": " + p.URL + "]")
}
