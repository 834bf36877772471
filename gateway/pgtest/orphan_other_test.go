//go:build !linux

package pgtest

const makerEnv = "PGTEST_MAKER_DIR"

func makeAndHang() int { return 1 }
