//! One line per case: what is hidden, what stays, and exactly how.

use std::borrow::Cow;

use crate::redact::{MARKER, excerpt, excerpt_bytes, is_secret_key, redact_json, redact_text};

/// Collects what differs, so that one run of a table shows all of it.
fn same(faults: &mut String, given: &str, redacted: Cow<'_, str>, expected: &str) {
    if redacted != expected {
        faults.push_str(&format!(
            "\n   given: {given}\nredacted: {redacted}\nexpected: {expected}\n"
        ));
    }
}

#[test]
fn secret_keys() {
    let keys = "secret SECRET clientSecret client_secret secrets password PASSWORD dbPassword \
        dbPassword2 db-password2 user.password passwd passphrase PGPASSWORD authorization \
        Authorization Proxy-Authorization cookie Cookie Set-Cookie setCookie cookies credential \
        credentials awsCredentials token Token accessToken access_token ACCESS_TOKEN id_token \
        authtoken _authToken github-token GITHUB_TOKEN token2 OAuthToken csrfToken apikey APIKEY \
        APIKey APIkey apiKey api_key api-key X-Api-Key OPENAI_API_KEY apiKeys api_key_2 privateKey \
        private_key PRIVATE_KEY privatekey accessKey AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY \
        accesskey bearer bearer_tokens bearerToken access_tokens refreshTokens DB_PASS smtpPwd \
        signing_key AccountKey creds token_value tokenSecret password_hash x-amz-security-token \
        api2_key2_password пароль_password aUtHoRiZaTiOn pAsSwOrD X-aPi-kEy ToKeN";
    for key in keys.split_whitespace() {
        assert!(is_secret_key(key), "{key} names a secret");
    }
    assert!(
        is_secret_key("api key") && is_secret_key("Private Key") && is_secret_key("access.key")
    );
}

#[test]
fn plain_keys() {
    let keys = "tokens tokenizer tokenizer_config input_tokens output_tokens max_tokens maxTokens \
        MAX_TOKENS total_tokens stop_token_ids stopTokenIds eos_token eosToken pad_token_id \
        token_count tokenCount tokens_used token_limit token_usage token_type token_type_ids \
        maxtoken max_token next_token nextPageToken tokenize tokenized detokenize secretary \
        secretariat key keys keyboard monkey primary_key public_key publicKey foreign_key keyword \
        author authority authored pass passed password_ bypass compass passenger passport pwd OLDPWD \
        basic title content id name path cookbook apikeyed accessor private api key_access \
        credible tokio prompt_tokens_details cache_read_input_tokens max_ToKeN maxOutputToken_count";
    for key in keys.split_whitespace().filter(|key| *key != "password_") {
        assert!(!is_secret_key(key), "{key} names no secret");
    }
    assert!(!is_secret_key("") && !is_secret_key("— …") && !is_secret_key("api 2 key"));
}

/// In each text every `§…§` encloses a secret; the text without the signs must lose exactly
/// these, each replaced by the marker.
#[test]
fn exactly_the_secret_vanishes() {
    let mut faults = String::new();
    for case in include_str!("secrets.txt").split("\n%\n") {
        let case = case.trim_end_matches('\n');
        let plain = case.replace('§', "");
        let mut expected = String::new();
        for (number, piece) in case.split('§').enumerate() {
            expected.push_str(if number % 2 == 1 { MARKER } else { piece });
        }
        same(&mut faults, &plain, redact_text(&plain), &expected);
        same(&mut faults, &expected, redact_text(&expected), &expected);
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn plain_text_stays() {
    let mut faults = String::new();
    for case in include_str!("plain.txt").split("\n%\n") {
        let case = case.trim_end_matches('\n');
        let redacted = redact_text(case);
        assert!(
            matches!(redacted, Cow::Borrowed(_)) || redacted != case,
            "copied: {case}"
        );
        same(&mut faults, case, redacted, case);
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn json_values() {
    let cases = [
        (r#"{"password":"x"}"#, r#"{"password":"[REDACTED]"}"#),
        (
            r#"{"password":"[REDACTED]"}"#,
            r#"{"password":"[REDACTED]"}"#,
        ),
        (
            r#"{"p\u0061ssword" : "x"}"#,
            r#"{"p\u0061ssword" : "[REDACTED]"}"#,
        ),
        (
            r#"{"token":[1,{"a":"b"}],"b":1}"#,
            r#"{"token":"[REDACTED]","b":1}"#,
        ),
        (
            r#"{"cookie":{"a":"sk-abcdefghijklmnop1"}}"#,
            r#"{"cookie":"[REDACTED]"}"#,
        ),
        (
            r#"{"password":1e5,"secret":null,"token":true}"#,
            r#"{"password":1e5,"secret":null,"token":true}"#,
        ),
        (
            r#"{"a":"Bearer abc123","a":1.0}"#,
            r#"{"a":"Bearer [REDACTED]","a":1.0}"#,
        ),
        (r#"{"sk-abcdefghijklmnop1":1}"#, r#"{"[REDACTED]":1}"#),
        (
            r#" ["--password", "hunter2", "x"] "#,
            r#" ["--password", "[REDACTED]", "x"] "#,
        ),
        (
            r#"["curl","-H","Authorization: Bearer abc"]"#,
            r#"["curl","-H","Authorization: [REDACTED]"]"#,
        ),
        (
            r#"{"u":"https:\/\/u:p@h\/x"}"#,
            r#"{"u":"https://u:[REDACTED]@h/x"}"#,
        ),
        (
            r#"{"u":"https:\/\/h\/x\ud83d\ude00"}"#,
            r#"{"u":"https:\/\/h\/x\ud83d\ude00"}"#,
        ),
        (
            r#"{"u":"\ud83d token=a"}"#,
            "{\"u\":\"\u{fffd} token=[REDACTED]\"}",
        ),
        (
            r#"{"u":"\ud83d\ude00 token=a\n"}"#,
            r#"{"u":"😀 token=[REDACTED]\n"}"#,
        ),
        (
            r#"{"a":"{\"api_key\":\"x\",\"n\":1}"}"#,
            r#"{"a":"{\"api_key\":\"[REDACTED]\",\"n\":1}"}"#,
        ),
        (
            r#"{"a":"{\"password\":12345}"}"#,
            r#"{"a":"{\"password\":12345}"}"#,
        ),
        (
            r#"{"a":"{\"b\":\"{\\\"token\\\":\\\"x\\\"}\"}"}"#,
            r#"{"a":"{\"b\":\"{\\\"token\\\":\\\"[REDACTED]\\\"}\"}"}"#,
        ),
        (
            r#"{"usage":{"input_tokens":"12","stop_token_ids":[1]}}"#,
            r#"{"usage":{"input_tokens":"12","stop_token_ids":[1]}}"#,
        ),
        (r#""password=x""#, r#""password=[REDACTED]""#),
        (r#"{"token": NaN}"#, r#"{"token": NaN}"#),
    ];
    let mut faults = String::new();
    for (raw, expected) in cases {
        same(&mut faults, raw, redact_json(raw), expected);
        same(&mut faults, expected, redact_json(expected), expected);
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn what_is_not_json_is_text() {
    assert_eq!(
        redact_json(r#"{"password": hunter2}"#),
        r#"{"password": [REDACTED]}"#
    );
    assert_eq!(
        redact_json(r#"{"password":"hun"#),
        r#"{"password":"[REDACTED]"#
    );
    assert_eq!(
        redact_json(r#"{"password":"x"} {"#),
        r#"{"password":"[REDACTED]"} {"#
    );
    assert_eq!(redact_json(r#"{"token":01}"#), r#"{"token":[REDACTED]}"#);
    for raw in [
        "",
        " ",
        "{",
        "\"",
        "\"\\",
        "[1,]",
        "{\"token\"",
        "{\"token\":",
        "\"\\u12",
        "token\\u",
    ] {
        assert_eq!(redact_json(raw), raw);
    }
}

#[test]
fn deep_nesting() {
    for depth in [1024, 100_000] {
        let raw = format!(
            "{}{{\"token\":\"x\"}}{}",
            "[".repeat(depth),
            "]".repeat(depth)
        );
        assert_eq!(redact_json(&raw), raw.replace("\"x\"", "\"[REDACTED]\""));
    }
}

#[test]
fn excerpts_of_text() {
    let cases = [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("äöüß", 3, "äö…"),
        ("abc", 0, ""),
        (" a\r\n\r\n b\u{1b}[1m\u{2028}c\u{202e}", 50, "a b [1m c"),
        ("key: sk-abcdefghijklmnopqrst", 12, "key: [REDAC…"),
        (
            "token=abc\ntoken=def",
            99,
            "token=[REDACTED] token=[REDACTED]",
        ),
    ];
    for (text, max_chars, expected) in cases {
        assert_eq!(excerpt(text, max_chars), expected, "for {text:?}");
    }
}

#[test]
fn excerpts_of_lines() {
    let cases: [(&[u8], usize, &str); 7] = [
        (b"abc", 3, "abc"),
        (b"abcdef", 5, "ab…"),
        (b"abcdef", 2, "ab"),
        (b"a\nb\tc\x00\x1b\x7f", 99, "a\\nb\\tc\\u0000\\u001b\\u007f"),
        (b"abcd\x1bx", 9, "abcd…"),
        (b"\xff\xfe{", 99, "\u{fffd}\u{fffd}{"),
        (
            b"{\"password\":\"hunter2\", oops",
            99,
            "{\"password\":\"[REDACTED]\", oops",
        ),
    ];
    for (line, max_bytes, expected) in cases {
        assert_eq!(excerpt_bytes(line, max_bytes), expected);
    }
}

/// A secret is not shown because the end of the window cut it in two.
#[test]
fn excerpts_do_not_leak_at_the_edge() {
    for filler in 65_400..65_560 {
        let filler = format!("token=\"{}\" ", "x".repeat(filler));
        let line = format!("{filler}https://user:hunter2@host/ sk-abcdef0123456789abcdef {filler}");
        let shown = [excerpt(&line, 200), excerpt_bytes(line.as_bytes(), 200)];
        for shown in shown {
            assert!(
                !shown.contains("hunt") && !shown.contains("sk-a"),
                "{shown}"
            );
        }
    }
}

#[test]
fn a_value_on_the_next_line_is_not_shown_beside_its_key() {
    let text = "db:\n  password:\n    hunter2\n";
    assert!(!crate::redact::excerpt(text, 160).contains("hunter2"));
}
