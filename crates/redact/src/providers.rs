//! The values that are secrets beside their provider's name alone: their form is too
//! common to tell without it. Providers and forms are those of gitleaks' rules; what only
//! identifies somebody (a client's id) is none.

use crate::class::Class;
use crate::part::{Part, run};
use crate::shapes::UUID;

use Class::{Alnum, Any64, Base64Url, Digit, Hex, Wide};
use Part::{Just, Run};

/// A provider, and what its secrets look like.
#[derive(Debug)]
pub(crate) struct Provider {
    /// The name, in lower case; with `_` or `-` where it may be written so.
    pub(crate) keyword: &'static str,
    pub(crate) forms: &'static [Form],
}

/// The form of one kind of secret.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) name: &'static str,
    pub(crate) parts: &'static [Part],
}

const fn provider(keyword: &'static str, forms: &'static [Form]) -> Provider {
    Provider { keyword, forms }
}

const fn form(name: &'static str, parts: &'static [Part]) -> Form {
    Form { name, parts }
}

const ALNUM_32: &[Part] = &[run(Alnum, 32)];
const ALNUM_64: &[Part] = &[run(Alnum, 64)];
const HEX_32: &[Part] = &[run(Hex, 32)];
const WIDE_32: &[Part] = &[run(Wide, 32)];
const WIDE_40: &[Part] = &[run(Wide, 40)];
const JFROG: &[Form] =
    &[form("jfrog-api-key", &[run(Alnum, 73)]), form("jfrog-identity-token", ALNUM_64)];
const LINKEDIN: &[Form] = &[form("linkedin-client-secret", &[run(Alnum, 16)])];
const MESSAGEBIRD: &[Form] = &[form("messagebird-api-token", &[run(Alnum, 25)])];
const NEW_RELIC: &[Form] = &[form("new-relic-user-api-id", ALNUM_64)];
const NYTIMES: &[Form] = &[form("nytimes-access-token", WIDE_32)];
const PRIVATE_AI: &[Form] = &[form("privateai-api-token", ALNUM_32)];
const SIDEKIQ: &[Form] = &[form("sidekiq-secret", &[run(Hex, 8), Just(":"), run(Hex, 8)])];

pub(crate) const PROVIDERS: &[Provider] = &[
    provider("adafruit", &[form("adafruit-api-key", &[run(Base64Url, 32)])]),
    provider("airtable", &[form("airtable-api-key", &[run(Alnum, 17)])]),
    provider("algolia", &[form("algolia-api-key", ALNUM_32)]),
    provider("alibaba", &[form("alibaba-secret-key", &[run(Alnum, 30)])]),
    provider("artifactory", JFROG),
    provider("asana", &[form("asana-client-secret", ALNUM_32)]),
    provider("atlassian", &[form("atlassian-api-token", &[run(Alnum, 24)])]),
    provider("beamer", &[form("beamer-api-token", &[Just("b_"), run(Wide, 44)])]),
    provider("bintray", JFROG),
    provider("bitbucket", &[form("bitbucket-client-secret", &[run(Wide, 64)])]),
    provider("bittrex", &[form("bittrex-secret-key", ALNUM_32)]),
    provider(
        "cloudflare",
        &[
            form("cloudflare-api-key", &[run(Base64Url, 40)]),
            form("cloudflare-global-api-key", &[run(Hex, 37)]),
        ],
    ),
    provider("co_api_key", &[form("cohere-api-token", &[run(Alnum, 40)])]),
    provider("codecov", &[form("codecov-access-token", ALNUM_32)]),
    provider("cohere", &[form("cohere-api-token", &[run(Alnum, 40)])]),
    provider("coinbase", &[form("coinbase-access-token", &[run(Base64Url, 64)])]),
    provider("confluence", &[form("atlassian-api-token", &[run(Alnum, 24)])]),
    provider(
        "confluent",
        &[
            form("confluent-secret-key", ALNUM_64),
            form("confluent-access-token", &[run(Alnum, 16)]),
        ],
    ),
    provider("contentful", &[form("contentful-delivery-api-token", &[run(Wide, 43)])]),
    provider("contribsys__com", SIDEKIQ),
    provider("datadog", &[form("datadog-access-token", &[run(Alnum, 40)])]),
    provider(
        "discord",
        &[form("discord-api-token", &[run(Hex, 64)]), form("discord-client-secret", WIDE_32)],
    ),
    provider("droneci", &[form("droneci-access-token", ALNUM_32)]),
    provider(
        "dropbox",
        &[
            form("dropbox-short-lived-api-token", &[Just("sl."), Run(Wide, 130, 200)]),
            form("dropbox-long-lived-api-token", &[run(Wide, 64)]),
            form("dropbox-api-token", &[run(Alnum, 15)]),
        ],
    ),
    provider("etsy", &[form("etsy-access-token", &[run(Alnum, 24)])]),
    provider(
        "facebook",
        &[
            form("facebook-secret", HEX_32),
            form("facebook-access-token", &[Run(Digit, 15, 16), Just("|"), Run(Base64Url, 27, 40)]),
        ],
    ),
    provider("fastly", &[form("fastly-api-token", WIDE_32)]),
    provider(
        "finicity",
        &[form("finicity-api-token", HEX_32), form("finicity-client-secret", &[run(Alnum, 20)])],
    ),
    provider("finnhub", &[form("finnhub-access-token", &[run(Alnum, 20)])]),
    provider("flickr", &[form("flickr-access-token", ALNUM_32)]),
    provider("freshbooks", &[form("freshbooks-access-token", ALNUM_64)]),
    provider("gitter", &[form("gitter-access-token", &[run(Base64Url, 40)])]),
    provider("gocardless", &[form("gocardless-api-token", &[Just("live_"), run(Wide, 40)])]),
    provider("heroku", &[form("heroku-api-key", UUID)]),
    provider("hubspot", &[form("hubspot-api-key", UUID)]),
    provider("intercom", &[form("intercom-api-key", &[run(Wide, 60)])]),
    provider("jfrog", JFROG),
    provider("jira", &[form("atlassian-api-token", &[run(Alnum, 24)])]),
    provider("kraken", &[form("kraken-access-token", &[Run(Any64, 80, 90)])]),
    provider(
        "kucoin",
        &[form("kucoin-access-token", &[run(Hex, 24)]), form("kucoin-secret-key", UUID)],
    ),
    provider("launchdarkly", &[form("launchdarkly-access-token", WIDE_40)]),
    provider("linear", &[form("linear-client-secret", HEX_32)]),
    provider("linked-in", LINKEDIN),
    provider("linked_in", LINKEDIN),
    provider("linkedin", LINKEDIN),
    provider(
        "lob",
        &[
            form("lob-api-key", &[Just("live_"), run(Hex, 35)]),
            form("lob-api-key", &[Just("test_"), run(Hex, 35)]),
            form("lob-pub-api-key", &[Just("live_pub_"), run(Hex, 31)]),
            form("lob-pub-api-key", &[Just("test_pub_"), run(Hex, 31)]),
        ],
    ),
    provider("looker", &[form("looker-client-secret", &[run(Alnum, 24)])]),
    provider(
        "mailgun",
        &[
            form("mailgun-private-api-token", &[Just("key-"), run(Hex, 32)]),
            form("mailgun-pub-key", &[Just("pubkey-"), run(Hex, 32)]),
            form(
                "mailgun-signing-key",
                &[run(Alnum, 32), Just("-"), run(Alnum, 8), Just("-"), run(Alnum, 8)],
            ),
        ],
    ),
    provider(
        "mapbox",
        &[form("mapbox-api-token", &[Just("pk."), run(Alnum, 60), Just("."), run(Alnum, 22)])],
    ),
    provider("mattermost", &[form("mattermost-access-token", &[run(Alnum, 26)])]),
    provider("meraki", &[form("cisco-meraki-api-key", &[run(Hex, 40)])]),
    provider("message-bird", MESSAGEBIRD),
    provider("message_bird", MESSAGEBIRD),
    provider("messagebird", MESSAGEBIRD),
    provider("netlify", &[form("netlify-access-token", &[Run(Wide, 40, 46)])]),
    provider("new-relic", NEW_RELIC),
    provider("new-york-times", NYTIMES),
    provider("new_relic", NEW_RELIC),
    provider("newrelic", NEW_RELIC),
    provider("newyorktimes", NYTIMES),
    provider("nytimes", NYTIMES),
    provider("okta", &[form("okta-access-token", &[Just("00"), run(Wide, 40)])]),
    provider("plaid", &[form("plaid-secret-key", &[run(Alnum, 30)])]),
    provider("private-ai", PRIVATE_AI),
    provider("private_ai", PRIVATE_AI),
    provider("privateai", PRIVATE_AI),
    provider("rapidapi", &[form("rapidapi-access-token", &[run(Base64Url, 50)])]),
    provider("sendbird", &[form("sendbird-access-token", &[run(Hex, 40)])]),
    provider("sentry", &[form("sentry-access-token", &[run(Hex, 64)])]),
    provider("snyk", &[form("snyk-api-token", UUID)]),
    provider("sonar", &[form("sonar-api-token", WIDE_40)]),
    provider("squarespace", &[form("squarespace-access-token", UUID)]),
    provider(
        "sumo",
        &[
            form("sumologic-access-token", ALNUM_64),
            form("sumologic-access-id", &[Just("su"), run(Alnum, 12)]),
        ],
    ),
    provider(
        "telegr",
        &[form("telegram-bot-api-token", &[Run(Digit, 5, 16), Just(":A"), run(Base64Url, 34)])],
    ),
    provider("travis", &[form("travisci-access-token", &[run(Alnum, 22)])]),
    provider("twilio", &[form("twilio-auth-token", HEX_32)]),
    provider("twitch", &[form("twitch-api-token", &[run(Alnum, 30)])]),
    provider(
        "twitter",
        &[
            form("twitter-api-key", &[run(Alnum, 25)]),
            form("twitter-access-secret", &[run(Alnum, 45)]),
            form("twitter-api-secret", &[run(Alnum, 50)]),
            form("twitter-access-token", &[Run(Digit, 15, 25), Just("-"), Run(Alnum, 20, 40)]),
            form("twitter-bearer-token", &[Just("AAAAAAAAAAAAAAAAAAAAAA"), Run(Alnum, 80, 100)]),
        ],
    ),
    provider("xray", JFROG),
    provider("yandex", &[form("yandex-aws-access-token", &[Just("YC"), run(Base64Url, 38)])]),
    provider("zendesk", &[form("zendesk-secret-key", &[run(Alnum, 40)])]),
];
