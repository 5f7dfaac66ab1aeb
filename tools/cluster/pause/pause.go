// pause does nothing, as the first process of a process-id namespace: it holds the namespaces that a pod sandbox (or the
// real node itself) consists of, and reaps the orphans that the kernel hands to it.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGCHLD, syscall.SIGTERM, syscall.SIGINT)
	for received := range signals {
		if received != syscall.SIGCHLD {
			os.Exit(0)
		}
		// Signals of several children may be merged into one, so each is taken as "at least one".
		for {
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
				break
			}
		}
	}
}
