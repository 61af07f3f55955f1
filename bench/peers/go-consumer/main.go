// A bare consumer in Go: amqp091, and a POST with net/http for each message, a goroutine each. Prints "port 0" when it consumes and ends
// with its input.
package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strconv"

	amqp "github.com/rabbitmq/amqp091-go"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	runtime.GOMAXPROCS(1)
	url, queue, target := os.Args[1], os.Args[2], os.Args[4]
	prefetch, err := strconv.Atoi(os.Args[3])
	must(err)
	connection, err := amqp.Dial(url)
	must(err)
	channel, err := connection.Channel()
	must(err)
	must(channel.Qos(prefetch, 0, false))
	deliveries, err := channel.Consume(queue, "", false, false, false, false, nil)
	must(err)
	client := &http.Client{Transport: &http.Transport{MaxIdleConns: 1000, MaxIdleConnsPerHost: 1000}}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Println("port 0")
	for delivery := range deliveries {
		go func(delivery amqp.Delivery) {
			response, err := client.Post(target, "application/json", bytes.NewReader(delivery.Body))
			must(err)
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
			must(delivery.Ack(false))
		}(delivery)
	}
}
