package child

// maxRSSUnit is the unit of ru_maxrss: bytes here.
const maxRSSUnit = 1
