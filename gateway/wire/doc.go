// Package wire is a strict HTTP/1.1 codec: heads and bodies in both
// directions, bytes in and decoded values out. It opens no socket, keeps no
// clock and allocates nothing once its slices have grown.
//
// There is one way to read a message. What two readers could understand in two
// ways is refused, because the difference is what request smuggling is made
// of: a line that ends in a bare LF, folded lines, control characters, white
// space before a colon, more than one Content-Length, Content-Length together
// with Transfer-Encoding, a transfer coding other than exactly "chunked", a
// missing or repeated Host. Upstream answers are read as strictly.
//
// Reading is in three steps:
//
//  1. Request.Parse or Response.Parse reads a head out of a buffer and says
//     how the body is framed.
//  2. Body.Decode takes that framing off whatever bytes have arrived, in place.
//  3. Body.Close says whether the end of the connection was the end of the body.
//
// Writing is appending: AppendRequestHead, AppendResponseHead, AppendChunkHead.
package wire
