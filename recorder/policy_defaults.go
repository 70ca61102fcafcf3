package recorder

import "regexp"

// pattern is a form of a secret. literals are texts of which each match holds
// one, none when that is not known; find gives the places of secrets in a text.
type pattern struct {
	literals []string
	find     func(p *Policy, text string) [][]int
}

// expression is a pattern by a regular expression; its first group is the
// secret, or all that matches.
func expression(re *regexp.Regexp, literals ...string) pattern {
	return pattern{literals, func(_ *Policy, text string) [][]int {
		all := re.FindAllStringSubmatchIndex(text, -1)
		for i, at := range all {
			if len(at) >= 4 && at[2] >= 0 {
				all[i] = at[2:4]
			}
		}
		return all
	}}
}

// defaultHeaders are headers that carry credentials.
var defaultHeaders = []string{
	"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "Api-Key", "X-Auth-Token",
	"X-Access-Token", "X-Csrf-Token", "X-Xsrf-Token", "X-Amz-Security-Token", "X-Goog-Api-Key", "X-Goog-Iam-Authorization-Token",
	"X-Vercel-Protection-Bypass", "X-Functions-Key", "X-Substructure-Signature", "X-Hub-Signature-256", "Stripe-Signature",
	"Cf-Access-Client-Secret", "Cf-Access-Jwt-Assertion", "X-Forwarded-Client-Cert", "Authentication-Info",
}

// defaultKeys are names under which secrets stand; those after them are endings
// of such names.
var (
	defaultKeys = []string{
		"token", "auth", "pwd", "pass", "otp", "jwt", "cookie", "cookies", "bearer", "ssn", "cvv", "cvc", "cvv2", "pin",
		"card_number", "iban", "credential", "signature_secret", "x_api_key", "sas", "dsn",
	}
	defaultEndings = []string{
		"password", "passwd", "passphrase", "secret", "api_key", "access_key", "secret_key", "private_key", "signing_key",
		"encryption_key", "access_key_id", "secret_access_key", "access_token", "refresh_token", "id_token", "auth_token",
		"bearer_token", "session_token", "security_token", "bot_token", "api_token", "csrf_token", "authorization", "credentials",
		"connection_string", "set_cookie", "webhook_url",
	}
)

// defaultPatterns are forms of secrets that are known by sight.
var defaultPatterns = []pattern{
	expression(regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}`), "sk-"),
	expression(regexp.MustCompile(`\b[sr]k_(?:live|test)_[A-Za-z0-9]{10,}`), "k_live_", "k_test_"),
	expression(regexp.MustCompile(`\bwhsec_[A-Za-z0-9+/=]{16,}`), "whsec_"),
	expression(regexp.MustCompile(`\bA[KS]IA[0-9A-Z]{16}\b`), "AKIA", "ASIA"),
	expression(regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`), "AIza"),
	expression(regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{20,}`), "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
	expression(regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9_]{20,}`), "github_pat_"),
	expression(regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{16,}`), "glpat-"),
	expression(regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`), "xox"),
	expression(regexp.MustCompile(`hooks\.slack\.com/services/([A-Za-z0-9/_-]{16,})`), "hooks.slack.com"),
	expression(regexp.MustCompile(`\bnpm_[A-Za-z0-9]{30,}`), "npm_"),
	expression(regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{6,}\.eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*`), "eyJ"),
	expression(regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----(.+?)(?:-----END|$)`), "PRIVATE KEY-----"),
	expression(regexp.MustCompile(`\b[Bb]earer ([A-Za-z0-9._~+/=-]{8,})`), "earer "),
	expression(regexp.MustCompile(`\b[Bb]asic ([A-Za-z0-9+/=]{12,})`), "asic "),
	{[]string{"://"}, findPasswords},
	{[]string{"="}, findAssigned},
}
