//! The shapes of tokens, as each provider documents them, as its secret scanning partners
//! do, or as the rules of gitleaks have them; where a length has changed over the years,
//! the shortest seen.

use crate::Rule;
use crate::class::Class;
use crate::part::{Part, at_least, run};
use crate::shape::{Shape, Tail};

use Class::{Alnum, Any64, Base64, Base64Url, Digit, Hex, Lower, Path, Upper, Wide};
use Part::{Just, Run};

const fn shape(rule: Rule, name: &'static str, prefix: &'static str, tail: Tail) -> Shape {
    Shape { rule, name, prefix, tail }
}

const fn token(
    rule: Rule,
    name: &'static str,
    prefix: &'static str,
    parts: &'static [Part],
) -> Shape {
    shape(rule, name, prefix, Tail::Parts(parts))
}

const fn key(name: &'static str, prefix: &'static str, parts: &'static [Part]) -> Shape {
    token(Rule::ProviderKey, name, prefix, parts)
}

const fn other(name: &'static str, prefix: &'static str, tail: Tail) -> Shape {
    shape(Rule::ProviderKey, name, prefix, tail)
}

const BASE64_URL_10: &[Part] = &[at_least(Base64Url, 10)];
const BASE64_URL_20: &[Part] = &[at_least(Base64Url, 20)];
const BASE64_URL_40: &[Part] = &[at_least(Base64Url, 40)];
const ALNUM_10: &[Part] = &[at_least(Alnum, 10)];
const ALNUM_16: &[Part] = &[run(Alnum, 16)];
const ALNUM_30: &[Part] = &[at_least(Alnum, 30)];
const ALNUM_40: &[Part] = &[at_least(Alnum, 40)];
const HEX_32: &[Part] = &[run(Hex, 32)];
const HEX_32_UP: &[Part] = &[at_least(Hex, 32)];
const HEX_40: &[Part] = &[run(Hex, 40)];
const HEX_64: &[Part] = &[run(Hex, 64)];
const UPPER_16: &[Part] = &[run(Upper, 16)];
const LONG_BASE64: &[Part] = &[at_least(Base64, 100)];
const PLANETSCALE: &[Part] = &[Run(Wide, 32, 64)];
pub(crate) const UUID: &[Part] = &[
    run(Hex, 8),
    Just("-"),
    run(Hex, 4),
    Just("-"),
    run(Hex, 4),
    Just("-"),
    run(Hex, 4),
    Just("-"),
    run(Hex, 12),
];

/// The shapes, by prefix; of two prefixes of which one begins the other, the longer one
/// is looked at.
pub(crate) const SHAPES: &[Shape] = &[
    token(Rule::Anthropic, "anthropic-api-key", "sk-ant-", BASE64_URL_20),
    shape(Rule::OpenAi, "openai-api-key", "sk-", Tail::Random(20)),
    token(Rule::GitHub, "github-pat", "ghp_", ALNUM_30),
    token(Rule::GitHub, "github-oauth", "gho_", ALNUM_30),
    token(Rule::GitHub, "github-app-token", "ghu_", ALNUM_30),
    token(Rule::GitHub, "github-app-token", "ghs_", ALNUM_30),
    token(Rule::GitHub, "github-refresh-token", "ghr_", ALNUM_30),
    token(Rule::GitHub, "github-fine-grained-pat", "github_pat_", &[at_least(Base64Url, 22)]),
    token(Rule::GitLab, "gitlab-pat", "glpat-", BASE64_URL_20),
    token(Rule::GitLab, "gitlab-deploy-token", "gldt-", BASE64_URL_20),
    token(Rule::GitLab, "gitlab-runner-authentication-token", "glrt-", BASE64_URL_20),
    token(Rule::GitLab, "gitlab-ptt", "glptt-", BASE64_URL_20),
    token(Rule::GitLab, "gitlab-cicd-job-token", "glcbt-", BASE64_URL_20),
    token(Rule::GitLab, "gitlab-feature-flag-client-token", "glffct-", BASE64_URL_20),
    token(Rule::GitLab, "gitlab-feed-token", "glft-", BASE64_URL_20),
    token(Rule::GitLab, "gitlab-incoming-mail-token", "glimt-", BASE64_URL_20),
    token(Rule::GitLab, "gitlab-kubernetes-agent-token", "glagent-", BASE64_URL_40),
    token(Rule::GitLab, "gitlab-oauth-app-secret", "gloas-", BASE64_URL_40),
    token(Rule::GitLab, "gitlab-scim-token", "glsoat-", BASE64_URL_20),
    token(Rule::GitLab, "gitlab-rrt", "GR1348941", BASE64_URL_20),
    shape(
        Rule::GitLab,
        "gitlab-session-cookie",
        "_gitlab_session=",
        Tail::Rest(&[at_least(Alnum, 32)]),
    ),
    token(Rule::Aws, "aws-access-token", "AKIA", UPPER_16),
    token(Rule::Aws, "aws-access-token", "ASIA", UPPER_16),
    token(Rule::Aws, "aws-access-token", "ABIA", UPPER_16),
    token(Rule::Aws, "aws-access-token", "ACCA", UPPER_16),
    token(Rule::Aws, "aws-access-token", "A3T", &[run(Upper, 17)]),
    token(Rule::Aws, "aws-amazon-bedrock-api-key-long-lived", "ABSK", LONG_BASE64),
    token(
        Rule::Aws,
        "aws-amazon-bedrock-api-key-short-lived",
        "bedrock-api-key-",
        &[at_least(Base64, 40)],
    ),
    token(Rule::Google, "gcp-api-key", "AIza", &[run(Base64Url, 35)]),
    token(Rule::Google, "google-client-secret", "GOCSPX-", &[at_least(Base64Url, 28)]),
    token(Rule::Google, "google-access-token", "ya29.", BASE64_URL_20),
    token(Rule::Slack, "slack-bot-token", "xoxb-", BASE64_URL_10),
    token(Rule::Slack, "slack-user-token", "xoxp-", BASE64_URL_10),
    token(Rule::Slack, "slack-legacy-workspace-token", "xoxa-", BASE64_URL_10),
    token(Rule::Slack, "slack-legacy-workspace-token", "xoxr-", BASE64_URL_10),
    token(Rule::Slack, "slack-legacy-token", "xoxo-", BASE64_URL_10),
    token(Rule::Slack, "slack-legacy-token", "xoxs-", BASE64_URL_10),
    token(Rule::Slack, "slack-config-refresh-token", "xoxe-", BASE64_URL_10),
    token(Rule::Slack, "slack-config-access-token", "xoxe.", BASE64_URL_10),
    token(Rule::Slack, "slack-app-token", "xapp-", BASE64_URL_10),
    shape(
        Rule::Slack,
        "slack-webhook-url",
        "hooks.slack.com/services/",
        Tail::Rest(&[at_least(Path, 20)]),
    ),
    shape(
        Rule::Slack,
        "slack-webhook-url",
        "hooks.slack.com/workflows/",
        Tail::Rest(&[at_least(Path, 20)]),
    ),
    shape(
        Rule::Slack,
        "slack-webhook-url",
        "hooks.slack.com/triggers/",
        Tail::Rest(&[at_least(Path, 20)]),
    ),
    token(Rule::Stripe, "stripe-access-token", "sk_live_", ALNUM_10),
    token(Rule::Stripe, "stripe-access-token", "sk_test_", ALNUM_10),
    token(Rule::Stripe, "stripe-access-token", "sk_prod_", ALNUM_10),
    token(Rule::Stripe, "stripe-access-token", "rk_live_", ALNUM_10),
    token(Rule::Stripe, "stripe-access-token", "rk_test_", ALNUM_10),
    token(Rule::Stripe, "stripe-access-token", "rk_prod_", ALNUM_10),
    token(Rule::Stripe, "stripe-webhook-secret", "whsec_", &[at_least(Alnum, 24)]),
    token(Rule::Npm, "npm-access-token", "npm_", &[at_least(Alnum, 36)]),
    token(Rule::PyPi, "pypi-upload-token", "pypi-AgE", BASE64_URL_40),
    token(Rule::HuggingFace, "huggingface-access-token", "hf_", ALNUM_30),
    token(Rule::HuggingFace, "huggingface-organization-api-token", "api_org_", ALNUM_30),
    shape(Rule::Jwt, "jwt", "eyJ", Tail::Dotted(20)),
    token(Rule::Jwt, "jwt-base64", "ZXlK", &[at_least(Base64, 60)]),
    shape(
        Rule::Telegram,
        "telegram-bot-api-token",
        ":AA",
        Tail::Whole(&[Run(Digit, 5, 16), Just(":AA"), Run(Base64Url, 32, 34)]),
    ),
    shape(
        Rule::Telegram,
        "telegram-bot-api-token",
        "bot",
        Tail::Rest(&[Run(Digit, 5, 16), Just(":A"), Run(Base64Url, 33, 35)]),
    ),
    token(Rule::Twilio, "twilio-api-key", "SK", HEX_32),
    other(
        "1password-secret-key",
        "A3-",
        Tail::Parts(&[
            run(Upper, 6),
            Just("-"),
            Run(Upper, 6, 11),
            Just("-"),
            run(Upper, 5),
            Just("-"),
            run(Upper, 5),
            Just("-"),
            run(Upper, 5),
        ]),
    ),
    key("1password-service-account-token", "ops_eyJ", LONG_BASE64),
    key("adobe-client-secret", "p8e-", &[run(Alnum, 32)]),
    key("age-secret-key", "AGE-SECRET-KEY-1", &[at_least(Upper, 50)]),
    key("airtable-personnal-access-token", "pat", &[run(Alnum, 14), Just("."), run(Hex, 64)]),
    key("alibaba-access-key-id", "LTAI", &[Run(Alnum, 16, 20)]),
    key("artifactory-api-key", "AKCp", &[run(Alnum, 69)]),
    // Base 64 of `reftkn`.
    key("artifactory-reference-token", "cmVmdGtu", &[run(Alnum, 56)]),
    key("atlassian-api-token", "ATATT3", BASE64_URL_40),
    key("bitbucket-app-password", "ATBB", &[run(Alnum, 32)]),
    other("authress-service-client-access-key", ".acc_", Tail::Whole(AUTHRESS_UNDERSCORE)),
    other("authress-service-client-access-key", ".acc-", Tail::Whole(AUTHRESS_DASH)),
    other(
        "azure-ad-client-secret",
        "Q~",
        Tail::Whole(&[run(Wide, 3), run(Digit, 1), Just("Q~"), Run(Wide, 31, 34)]),
    ),
    key("clickhouse-cloud-api-secret-key", "4b1d", &[run(Alnum, 38)]),
    key("clojars-api-token", "CLOJARS_", &[run(Alnum, 60)]),
    key("cloudflare-origin-ca-key", "v1.0-", &[run(Hex, 24), Just("-"), run(Hex, 146)]),
    key("databricks-api-token", "dapi", HEX_32),
    key(
        "defined-networking-api-token",
        "dnkey-",
        &[run(Base64Url, 26), Just("-"), run(Base64Url, 52)],
    ),
    key("digitalocean-access-token", "doo_v1_", HEX_64),
    key("digitalocean-pat", "dop_v1_", HEX_64),
    key("digitalocean-refresh-token", "dor_v1_", HEX_64),
    other("discord-webhook-url", "discord.com/api/webhooks/", Tail::Rest(&[at_least(Path, 20)])),
    key("docker-pat", "dckr_pat_", BASE64_URL_20),
    key("doppler-api-token", "dp.pt.", &[run(Alnum, 43)]),
    key("doppler-service-token", "dp.st.", &[at_least(Wide, 40)]),
    key("duffel-api-token", "duffel_test_", &[run(Wide, 43)]),
    key("duffel-api-token", "duffel_live_", &[run(Wide, 43)]),
    key("dynatrace-api-token", "dt0c01.", &[run(Alnum, 24), Just("."), run(Alnum, 64)]),
    key("easypost-api-token", "EZAK", &[run(Alnum, 54)]),
    key("easypost-test-api-token", "EZTK", &[run(Alnum, 54)]),
    key("facebook-page-access-token", "EAAM", &[at_least(Alnum, 100)]),
    key("facebook-page-access-token", "EAAC", &[at_least(Alnum, 100)]),
    key("figma-pat", "figd_", &[at_least(Base64Url, 30)]),
    key("flutterwave-secret-key", "FLWSECK_TEST-", &[at_least(Alnum, 12)]),
    key("flutterwave-secret-key", "FLWSECK-", &[at_least(Alnum, 12)]),
    key("flutterwave-public-key", "FLWPUBK_TEST-", &[at_least(Alnum, 32)]),
    key("flyio-access-token", "fo1_", &[run(Base64Url, 43)]),
    key("flyio-access-token", "fm1a_", LONG_BASE64),
    key("flyio-access-token", "fm1r_", LONG_BASE64),
    key("flyio-access-token", "fm2_", LONG_BASE64),
    key("frameio-api-token", "fio-u-", &[run(Wide, 64)]),
    key("grafana-api-key", "eyJrIjoi", &[at_least(Base64, 70)]),
    key("grafana-cloud-api-token", "glc_", &[at_least(Base64, 32)]),
    key("grafana-service-account-token", "glsa_", &[run(Alnum, 32)]),
    key("groq-api-key", "gsk_", ALNUM_40),
    key("harness-api-key", "pat.", HARNESS),
    key("harness-api-key", "sat.", HARNESS),
    other(
        "hashicorp-tf-api-token",
        ".atlasv1.",
        Tail::Whole(&[run(Alnum, 14), Just(".atlasv1."), Run(Wide, 60, 70)]),
    ),
    key("heroku-api-key-v2", "HRKU-AA", &[run(Base64Url, 58)]),
    key("infracost-api-token", "ico-", &[run(Alnum, 32)]),
    key("intra42-client-secret", "s-s4t2ud-", HEX_64),
    key("intra42-client-secret", "s-s4t2af-", HEX_64),
    key("linear-api-key", "lin_api_", ALNUM_30),
    other("mailchimp-api-key", "-us", Tail::Whole(&[run(Hex, 32), Just("-us"), Run(Digit, 1, 2)])),
    other(
        "maxmind-license-key",
        "_mmk",
        Tail::Whole(&[run(Alnum, 6), Just("_"), run(Alnum, 29), Just("_mmk")]),
    ),
    other(
        "microsoft-teams-webhook",
        ".webhook.office.com/webhookb2/",
        Tail::Rest(&[at_least(Path, 60)]),
    ),
    key("new-relic-browser-api-token", "NRJS-", &[run(Hex, 19)]),
    key("new-relic-insert-key", "NRII-", &[run(Base64Url, 32)]),
    key("new-relic-user-api-key", "NRAK-", &[run(Alnum, 27)]),
    key("notion-api-token", "ntn_", ALNUM_40),
    key("nuget-api-key", "oy2", &[run(Lower, 43)]),
    other("octopus-deploy-api-key", "API-", Tail::Drawn(&[run(Upper, 26)])),
    key("openshift-user-token", "sha256~", &[run(Base64Url, 43)]),
    key("perplexity-api-key", "pplx-", ALNUM_40),
    key("plaid-api-token", "access-sandbox-", UUID),
    key("plaid-api-token", "access-development-", UUID),
    key("plaid-api-token", "access-production-", UUID),
    key("planetscale-api-token", "pscale_tkn_", PLANETSCALE),
    key("planetscale-oauth-token", "pscale_oauth_", PLANETSCALE),
    key("planetscale-password", "pscale_pw_", PLANETSCALE),
    key("postman-api-token", "PMAK-", &[run(Hex, 24), Just("-"), run(Hex, 34)]),
    key("prefect-api-token", "pnu_", &[run(Alnum, 36)]),
    key("pulumi-api-token", "pul-", HEX_40),
    key("readme-api-token", "rdme_", &[run(Lower, 70)]),
    key("replicate-api-token", "r8_", &[run(Alnum, 37)]),
    key("rubygems-api-token", "rubygems_", &[run(Hex, 48)]),
    other("scalingo-api-token", "tk-us-", Tail::Drawn(&[run(Base64Url, 48)])),
    other("sendgrid-api-token", "SG.", Tail::Dotted(40)),
    key("sendinblue-api-token", "xkeysib-", &[run(Hex, 64), Just("-"), run(Alnum, 16)]),
    key("sendinblue-api-token", "xsmtpsib-", &[run(Hex, 64), Just("-"), run(Alnum, 16)]),
    key("sentry-org-token", "sntrys_", &[at_least(Any64, 40)]),
    key("sentry-user-token", "sntryu_", HEX_64),
    key("settlemint-application-access-token", "sm_aat_", ALNUM_16),
    key("settlemint-personal-access-token", "sm_pat_", ALNUM_16),
    key("settlemint-service-access-token", "sm_sat_", ALNUM_16),
    key("shippo-api-token", "shippo_live_", HEX_40),
    key("shippo-api-token", "shippo_test_", HEX_40),
    key("shopify-access-token", "shpat_", HEX_32_UP),
    key("shopify-custom-access-token", "shpca_", HEX_32_UP),
    key("shopify-private-app-access-token", "shppa_", HEX_32_UP),
    key("shopify-shared-secret", "shpss_", HEX_32_UP),
    key("sonar-api-token", "squ_", HEX_40),
    key("sonar-api-token", "sqp_", HEX_40),
    key("sonar-api-token", "sqa_", HEX_40),
    key("sourcegraph-access-token", "sgp_", BASE64_URL_40),
    key("square-access-token", "sq0atp-", &[at_least(Base64Url, 22)]),
    key("square-access-token", "sq0csp-", &[at_least(Base64Url, 40)]),
    other("square-access-token", "EAAA", Tail::Drawn(&[Run(Base64Url, 22, 60)])),
    key("supabase-token", "sbp_", &[at_least(Hex, 40)]),
    key("tailscale-key", "tskey-", BASE64_URL_20),
    key("typeform-api-token", "tfp_", &[run(Wide, 59)]),
    key("vault-batch-token", "hvb.", BASE64_URL_40),
    key("vault-service-token", "hvs.", BASE64_URL_20),
    key("xai-api-key", "xai-", ALNUM_40),
    key("yandex-access-token", "t1.", &[Run(Base64Url, 1, 200), Just("."), run(Base64Url, 86)]),
    key("yandex-api-key", "AQVN", &[Run(Base64Url, 35, 38)]),
];

const HARNESS: &[Part] =
    &[run(Base64Url, 22), Just("."), run(Alnum, 24), Just("."), run(Alnum, 20)];

const AUTHRESS_UNDERSCORE: &[Part] = &[
    Run(Base64Url, 8, 40),
    Just("."),
    Run(Alnum, 4, 6),
    Just(".acc_"),
    Run(Base64Url, 10, 32),
    Just("."),
    Run(Wide, 30, 120),
];

const AUTHRESS_DASH: &[Part] = &[
    Run(Base64Url, 8, 40),
    Just("."),
    Run(Alnum, 4, 6),
    Just(".acc-"),
    Run(Base64Url, 10, 32),
    Just("."),
    Run(Wide, 30, 120),
];
