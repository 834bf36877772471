// Package sse finds the frames of server-sent events in bytes that may be
// split anywhere (https://html.spec.whatwg.org/multipage/server-sent-events.html).
//
// Lines may end in LF, CRLF or CR; comments, retry: and id: are passed over; a
// byte order mark may come first; the space after the colon may be missing;
// several data: lines are one value with line feeds between. Unlike a browser,
// the reader also gives out a last frame that lacks its blank line, and takes a
// line that is a bare JSON object for data: some providers report errors so.
package sse
