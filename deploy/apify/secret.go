package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// The platform encrypts the secret fields of an input for the run: a password with RSA-OAEP,
// and the field with AES-256-GCM under that password.
const (
	secretPrefix = "ENCRYPTED_VALUE:"
	secretKey    = 32 // bytes of the password that are the key; the rest is the nonce
	secretNonce  = 16
)

// reveal returns the value of a field. A field that is not encrypted is returned as it is.
func reveal(value string, key *rsa.PrivateKey) (string, error) {
	rest, encrypted := strings.CutPrefix(value, secretPrefix)
	if !encrypted {
		return value, nil
	}
	if key == nil {
		return "", errors.New("it is encrypted, and APIFY_INPUT_SECRETS_PRIVATE_KEY_FILE is not set")
	}
	first, second, ok := strings.Cut(rest, ":")
	password, err := base64.StdEncoding.DecodeString(first)
	sealed, err2 := base64.StdEncoding.DecodeString(second)
	if !ok || err != nil || err2 != nil {
		return "", errors.New("it is not encrypted as the platform does")
	}
	password, err = rsa.DecryptOAEP(sha1.New(), nil, key, password, nil)
	if err != nil || len(password) != secretKey+secretNonce {
		return "", errors.New("the key of this run does not decrypt it")
	}
	block, err := aes.NewCipher(password[:secretKey])
	if err != nil {
		return "", err
	}
	gcm, err := cipher.NewGCMWithNonceSize(block, secretNonce)
	if err != nil {
		return "", err
	}
	plain, err := gcm.Open(nil, password[secretKey:], sealed, nil)
	if err != nil {
		return "", errors.New("it has been changed after it was encrypted")
	}
	return string(plain), nil
}

// secretsKey returns the key that decrypts secret fields, from the base64 of a PEM file and
// its passphrase. An empty file is no key.
func secretsKey(file, passphrase string) (*rsa.PrivateKey, error) {
	if file == "" {
		return nil, nil
	}
	text, err := base64.StdEncoding.DecodeString(file)
	if err != nil {
		return nil, errors.New("it is not base64")
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("it has no PEM block")
	}
	der := block.Bytes
	//lint:ignore SA1019 the platform encrypts its keys this way
	if x509.IsEncryptedPEMBlock(block) {
		//lint:ignore SA1019 the platform encrypts its keys this way
		if der, err = x509.DecryptPEMBlock(block, []byte(passphrase)); err != nil {
			return nil, errors.New("APIFY_INPUT_SECRETS_PRIVATE_KEY_PASSPHRASE does not decrypt it")
		}
	}
	if key, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return key, nil
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if private, ok := key.(*rsa.PrivateKey); err == nil && ok {
		return private, nil
	}
	return nil, fmt.Errorf("a PEM block of type %.60q is not a key of RSA that this program can read", block.Type)
}
