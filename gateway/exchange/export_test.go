package exchange

// Surfaces are the paths of the router whose requests spend, and of all others.
func Surfaces() (spend, others []string) {
	for _, r := range routes[routeChat:] {
		if r.spends {
			spend = append(spend, r.path)
		} else {
			others = append(others, r.path)
		}
	}
	return spend, others
}
