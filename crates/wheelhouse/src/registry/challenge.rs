//! What a registry asks for when it answers 401.

use http_auth::ChallengeRef;
use reqwest::Url;
use reqwest::header::{HeaderMap, WWW_AUTHENTICATE};
use serde::Deserialize;

/// The way to get in (distribution specification, "token" and "basic").
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Challenge {
    /// User name and password with each request.
    Basic,
    /// A token from another service.
    Bearer {
        /// Where the token is to be had.
        realm: Url,
        /// What the token service calls this registry.
        service: Option<String>,
    },
}

impl Challenge {
    /// The first challenge of an answer that we can meet; tokens go before passwords.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let texts = headers
            .get_all(WWW_AUTHENTICATE)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let mut basic = None;
        for text in texts {
            for challenge in http_auth::parse_challenges(text).unwrap_or_default() {
                if challenge.scheme.eq_ignore_ascii_case("bearer")
                    && let Some(realm) =
                        parameter(&challenge, "realm").and_then(|text| text.parse().ok())
                {
                    let service = parameter(&challenge, "service");
                    return Some(Self::Bearer { realm, service });
                }
                if challenge.scheme.eq_ignore_ascii_case("basic") {
                    basic = Some(Self::Basic);
                }
            }
        }
        basic
    }

    /// The address of the token that lets us read a repository.
    pub(crate) fn token_url(realm: &Url, service: Option<&str>, repository: &str) -> Url {
        let mut url = realm.clone();
        let mut query = url.query_pairs_mut();
        if let Some(service) = service {
            query.append_pair("service", service);
        }
        query.append_pair("scope", &format!("repository:{repository}:pull"));
        drop(query);
        url
    }
}

fn parameter(challenge: &ChallengeRef<'_>, name: &str) -> Option<String> {
    let found = challenge
        .params
        .iter()
        .find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.to_unescaped())
}

/// The token service's answer; some write the one field, some the other, some both.
#[derive(Deserialize)]
pub(crate) struct Token {
    token: Option<String>,
    access_token: Option<String>,
}

impl Token {
    /// The token, if there is one.
    pub(crate) fn secret(self) -> Option<String> {
        self.token
            .or(self.access_token)
            .filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn challenge(texts: &[&str]) -> Option<Challenge> {
        let headers = texts
            .iter()
            .map(|text| (WWW_AUTHENTICATE, text.parse().unwrap()));
        Challenge::of(&headers.collect())
    }

    #[test]
    fn a_challenge_is_read_from_the_headers() {
        let bearer = |service: Option<&str>| {
            let realm = "https://auth.example/token?account=x".parse().unwrap();
            Some(Challenge::Bearer {
                realm,
                service: service.map(str::to_owned),
            })
        };
        let realm = r#"realm="https://auth.example/token?account=x""#;
        assert_eq!(
            challenge(&[&format!(r#"Bearer {realm},service="a, b""#)]),
            bearer(Some("a, b"))
        );
        assert_eq!(
            challenge(&["Basic realm=\"x\"", &format!("bearer {realm}")]),
            bearer(None)
        );
        assert_eq!(challenge(&["Basic realm=\"x\""]), Some(Challenge::Basic));
        assert_eq!(challenge(&["Negotiate"]), None);
        assert_eq!(challenge(&["Bearer realm=\"nowhere\""]), None);
        assert_eq!(challenge(&[]), None);
    }

    #[test]
    fn a_token_is_asked_for_one_repository() {
        let realm = "https://auth.example/token?account=x".parse().unwrap();
        let url = Challenge::token_url(&realm, Some("zot"), "rocm/pytorch");
        assert_eq!(
            url.as_str(),
            "https://auth.example/token?account=x&service=zot&scope=repository%3Arocm%2Fpytorch%3Apull"
        );
    }
}
