package exchange

// serveModels answers the list of models, or one of it: those that the key may
// use.
func (x *Exchange) serveModels(rest []byte, out *Actions) {
	if x.route == routeModels {
		x.serve(200, "application/json", x.modelList(), out)
		return
	}
	name := x.unescapePath(rest)
	i, ok := x.c.d.Snapshot.ByName[string(name)]
	entry, listed := x.c.entry[i]
	if !ok || !listed || !x.allowed(i) {
		x.refuseQuoting(causeModelNotFound, short(name), out)
		return
	}
	x.serve(200, "application/json", x.c.models.Entry(entry), out)
}

func (x *Exchange) allowed(model int) bool {
	return !x.c.d.Snapshot.Stages.Auth || x.c.d.Admitter.ModelAllowed(x.key, model)
}

// modelList is the rendered list, or one made for this key where it may not
// use all models.
func (x *Exchange) modelList() []byte {
	for _, i := range x.c.listed {
		if !x.allowed(i) {
			at := len(x.arena)
			x.arena = x.c.models.AppendList(x.arena, func(e int) bool { return x.allowed(x.c.listed[e]) })
			return x.arena[at:]
		}
	}
	return x.c.models.All()
}

// unescapePath decodes %XX of a path.
func (x *Exchange) unescapePath(p []byte) []byte {
	at := len(x.arena)
	for i := 0; i < len(p); i++ {
		c := p[i]
		if c == '%' && i+2 < len(p) {
			if hi, lo := hexDigit(p[i+1]), hexDigit(p[i+2]); hi >= 0 && lo >= 0 {
				c = byte(hi<<4 | lo)
				i += 2
			}
		}
		x.arena = append(x.arena, c)
	}
	return x.arena[at:]
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
