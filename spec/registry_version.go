package spec

import (
	"fmt"
	"strconv"
	"strings"
)

// registryOrder is the place of a registry version among others: versions are
// written YEAR-MONTH/N and compared as numbers.
func registryOrder(version string) (order [3]int, err error) {
	month, n, ok := strings.Cut(version, "/")
	year, month, ok2 := strings.Cut(month, "-")
	if !ok || !ok2 {
		return order, fmt.Errorf("%q is no registry version", version)
	}
	for i, text := range []string{year, month, n} {
		if order[i], err = strconv.Atoi(text); err != nil || order[i] < 1 {
			return order, fmt.Errorf("%q is no registry version", version)
		}
	}
	return order, nil
}

// CheckRegistryVersion says what is wrong with the version of a registry that
// a file names: a form that is none, or one that this Hallmark does not know
// yet.
func CheckRegistryVersion(version string) error {
	if _, err := registryOrder(version); err != nil {
		return err
	}
	if RegistryYounger(version, RegistryVersion) {
		return fmt.Errorf("the registry version %s is younger than this Hallmark's, %s", version, RegistryVersion)
	}
	return nil
}

// RegistryYounger reports whether version a came after version b. Of versions
// that do not read none is younger.
func RegistryYounger(a, b string) bool {
	x, err := registryOrder(a)
	if err != nil {
		return false
	}
	y, err := registryOrder(b)
	if err != nil {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return x[i] > y[i]
		}
	}
	return false
}
