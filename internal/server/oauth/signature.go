package oauth

import (
	"crypto"
	"errors"
	"fmt"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA}

// maxTokenHeader is in bytes of base64. The header is read before the signature is checked,
// and a header of nested lists takes long to read.
const maxTokenHeader = 2 << 10

// open returns the payload of a signed token. key returns the key of an id; its errors are
// returned as they are.
func open(token string, key func(keyID) (crypto.PublicKey, error)) ([]byte, error) {
	if header, _, _ := strings.Cut(token, "."); len(header) > maxTokenHeader {
		return nil, fmt.Errorf("header of %d bytes, limit %d", len(header), maxTokenHeader)
	}
	signed, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil {
		return nil, fmt.Errorf("not a token: %v", err)
	}
	header := signed.Signatures[0].Protected
	if _, ok := header.ExtraHeaders["crit"]; ok {
		return nil, errors.New("the header has crit, and no extension is known here")
	}
	k, err := key(keyID{header.KeyID, jose.SignatureAlgorithm(header.Algorithm)})
	if err != nil {
		return nil, err
	}
	payload, err := signed.Verify(k)
	if err != nil {
		return nil, fmt.Errorf("wrong signature: %v", err)
	}
	return payload, nil
}
