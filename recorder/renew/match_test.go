package renew_test

import "regexp"

func match(form, text string) bool { return regexp.MustCompile(form).MatchString(text) }
