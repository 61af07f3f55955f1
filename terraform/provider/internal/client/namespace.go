package client

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// NamespaceOf is the namespace of a token: sless- and the first 8 bytes of SHA-256 of its sub, in hex. Whether the token is good is for the api
// to say; one that has ended is told at once.
func NamespaceOf(token string, now time.Time) (string, error) {
	var claims jwt.RegisteredClaims
	if _, _, err := jwt.NewParser().ParseUnverified(token, &claims); err != nil {
		return "", errors.New("the token is no JWT: three parts, with dots between them")
	}
	if claims.Subject == "" {
		return "", errors.New("the token has no sub, which says whose it is")
	}
	if claims.ExpiresAt != nil && claims.ExpiresAt.Before(now) {
		return "", fmt.Errorf("the token ended at %s; get a new one", claims.ExpiresAt.UTC().Format(time.RFC3339))
	}
	sum := sha256.Sum256([]byte(claims.Subject))
	return "sless-" + hex.EncodeToString(sum[:8]), nil
}

func checkEndpoint(endpoint string) error {
	address, err := url.Parse(endpoint)
	if err != nil || address.Host == "" || (address.Scheme != "https" && address.Scheme != "http") {
		return fmt.Errorf("%q is no address of an api, such as https://sless.example.org", endpoint)
	}
	if address.User != nil || address.RawQuery != "" || address.Fragment != "" {
		return errors.New("an endpoint is an address alone, without a user, a query or a fragment")
	}
	return nil
}
