package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"math/big"
	"strings"
)

// KeyPrefix begins every API key.
const KeyPrefix = "sp_"

// The parts of an API key: KeyPrefix, the id, "_", the secret, the checksum. All parts
// are of base62.
const (
	idLength       = 8
	secretLength   = 43 // log2(62^43) is 256.03: as many bits as SHA-256 has
	checksumLength = 6  // 62^6 is more than 2^32
	keyLength      = len(KeyPrefix) + idLength + 1 + secretLength + checksumLength

	bucketLength = 3 // of an id: they are the same for all keys of a tenant
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// A credential says which secret of which key a text has, or which session of it. It does
// not give the text back.
type credential struct {
	id   string // of the key
	hash [sha256.Size]byte
}

// parseKey returns the credential of an API key. ok is false if the text is not an API key,
// or its checksum is wrong.
func parseKey(text string) (c credential, ok bool) {
	if len(text) != keyLength || !strings.HasPrefix(text, KeyPrefix) {
		return c, false
	}
	rest := text[len(KeyPrefix):]
	id, rest := rest[:idLength], rest[idLength:]
	body, sum := text[:keyLength-checksumLength], text[keyLength-checksumLength:]
	if rest[0] != '_' || !isBase62(id) || !isBase62(rest[1:]) || checksum(body) != sum {
		return c, false
	}
	return credential{id, sha256.Sum256([]byte(rest[1 : 1+secretLength]))}, true
}

// newSecret draws a secret for a key. It returns the text of the key, and the hash of
// the secret.
func newSecret(id string) (text string, hash [sha256.Size]byte) {
	secret := randomBase62(secretLength)
	body := KeyPrefix + id + "_" + secret
	return body + checksum(body), sha256.Sum256([]byte(secret))
}

// newID draws an id for a key of a tenant.
func newID(tenant string) string { return bucket(tenant) + randomBase62(idLength-bucketLength) }

// bucket returns how the ids of a tenant's keys begin. So the keys of a tenant are next
// to each other in the store. Few other tenants have the same bucket.
func bucket(tenant string) string {
	sum := sha256.Sum256([]byte(tenant))
	return encode62(binary.BigEndian.Uint32(sum[:]), bucketLength)
}

// checksum returns the CRC-32 of a text in base62, with zeros on the left. GitHub's and
// npm's tokens end so, which lets scanners for secrets tell them from other texts:
// https://github.blog/2021-04-05-behind-githubs-new-authentication-token-formats/
func checksum(text string) string {
	return encode62(crc32.ChecksumIEEE([]byte(text)), checksumLength)
}

// encode62 returns the last digits of a number in base62.
func encode62(n uint32, digits int) string {
	b := make([]byte, digits)
	for i := digits - 1; i >= 0; i-- {
		b[i] = base62[n%62]
		n /= 62
	}
	return string(b)
}

// randomBase62 draws each character with the same probability. It does not return if
// the system gives no random bytes.
func randomBase62(n int) string {
	text := make([]byte, n)
	for i := range text {
		digit, err := rand.Int(rand.Reader, big.NewInt(int64(len(base62))))
		if err != nil {
			panic(err) // crypto/rand never fails
		}
		text[i] = base62[digit.Int64()]
	}
	return string(text)
}

func isBase62(text string) bool {
	return strings.Trim(text, base62) == ""
}
