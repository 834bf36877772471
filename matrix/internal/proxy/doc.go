// Package proxy runs the yardsticks: nginx and haproxy as plain keep-alive
// reverse proxies in front of the mock, each on one committed config.
//
// The configs hold to the same terms. As many workers as the gateway has (nginx
// processes, haproxy threads), no access log, connections kept on both sides,
// nothing looked at but HTTP. Request and answer are buffered in memory, in
// buffers larger than the body, so that no temporary file is written. Where the
// mock sends each frame of a stream by itself, both pass an answer on as it
// comes, since buffering would spare them the very work that is measured.
package proxy
