// probe is what the real node's own test runs in pods: it proves from the inside that names resolve, Services answer and
// the API server is who it says it is. It is static, so its image holds nothing else.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount/"

func main() {
	commands := map[string]func([]string) error{"serve": serve, "lookup": lookup, "get": get, "whoami": whoami, "write": write}
	command, known := commands[os.Args[1]]
	if !known {
		fail(fmt.Errorf("unknown command %q", os.Args[1]))
	}
	if err := command(os.Args[2:]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// serve answers every request on port 8080 with the pod's name.
func serve([]string) error {
	name, err := os.Hostname()
	if err != nil {
		return err
	}
	fmt.Println("serving as", name)
	return http.ListenAndServe(":8080", http.HandlerFunc(func(response http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(response, name)
	}))
}

func lookup(arguments []string) error {
	addresses, err := net.LookupHost(arguments[0])
	fmt.Println(addresses)
	return err
}

func get(arguments []string) error {
	client := http.Client{Timeout: 5 * time.Second}
	response, err := client.Get(arguments[0])
	if err != nil {
		return err
	}
	_, err = io.Copy(os.Stdout, response.Body)
	return err
}

// whoami asks the API server whom the pod's token belongs to, and trusts no server but one that the pod's CA vouches for.
func whoami([]string) error {
	authority, err := os.ReadFile(serviceAccount + "ca.crt")
	if err != nil {
		return err
	}
	token, err := os.ReadFile(serviceAccount + "token")
	if err != nil {
		return err
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(authority)
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}
	body := bytes.NewBufferString(`{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}`)
	url := "https://kubernetes.default.svc/apis/authentication.k8s.io/v1/selfsubjectreviews"
	request, err := http.NewRequest(http.MethodPost, url, body)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+string(token))
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(os.Stdout, response.Body)
	return err
}

// write leaves a file behind, on whatever volume is mounted there.
func write(arguments []string) error {
	return os.WriteFile(arguments[0], []byte("written\n"), 0o644)
}
