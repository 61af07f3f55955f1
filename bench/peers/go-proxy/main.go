// A bare reverse proxy of Go's standard library, tuned as its users tune it: a pool of copy buffers and enough idle
// connections. Prints "port <n>" and ends with its input.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"runtime"
	"sync"
	"time"
)

type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte  { return *b.pool.Get().(*[]byte) }
func (b *buffers) Put(p []byte) { b.pool.Put(&p) }

func main() {
	runtime.GOMAXPROCS(1)
	target, err := url.Parse(os.Args[1])
	if err != nil {
		panic(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.BufferPool = &buffers{pool: sync.Pool{New: func() any { p := make([]byte, 32*1024); return &p }}}
	proxy.Transport = &http.Transport{
		MaxIdleConns:        1000,
		MaxIdleConnsPerHost: 1000,
		IdleConnTimeout:     30 * time.Second,
		DisableCompression:  true,
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("port %d\n", listener.Addr().(*net.TCPAddr).Port)
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	panic(http.Serve(listener, proxy))
}
