import type { RequestListener } from 'node:http';

/**
 * For a server's `checkContinue`: whoever sent `Expect: 100-continue` is told to go on when its body is first read. What is
 * refused by its head alone (no token, too large) is answered in place of that, and the body stays where it is.
 */
export function expecting(listener: RequestListener): RequestListener {
  return (request, response) => {
    const keepAlive = response.shouldKeepAlive;
    const read = request._read;
    // Unless it is asked for the body may come or not (RFC 9110 §10.1.1): the connection cannot be used again.
    response.shouldKeepAlive = false;
    request._read = (size) => {
      request._read = read;
      if (!response.headersSent) {
        response.shouldKeepAlive = keepAlive;
        response.writeContinue();
      }
      read.call(request, size);
    };
    listener(request, response);
  };
}
