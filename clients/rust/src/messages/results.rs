use super::enumeration::enumeration;
use super::{Answer, Fields, Members};
use crate::json::{Json, Object};

enumeration! {
    /// A signed form of a verdict. `docs/reference/results.md` says which text each follows.
    ResultShape, "RESULT_SHAPE_", Unspecified = "",
    {
        EarJwt = "EAR_JWT",
        EarCwt = "EAR_CWT",
        Session = "SESSION",
        ClientAttestation = "CLIENT_ATTESTATION",
        WalletInstance = "WALLET_INSTANCE",
        KeyAttestation = "KEY_ATTESTATION",
        PlainJws = "PLAIN_JWS",
        PlainCose = "PLAIN_COSE",
    }
}

/// A signed result that is asked for beside a verdict or a look-up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResultRequest {
    pub shape: ResultShape,
    /// The receiver of the result, one of the audiences that the app's configuration lists.
    pub audience: String,
    /// 8 to 64 bytes that the audience gave the caller; empty: none.
    pub nonce: Vec<u8>,
}

impl ResultRequest {
    pub(crate) fn json(&self) -> Json {
        Members::default()
            .name("shape", ResultShape::PREFIX, self.shape.as_str())
            .text("audience", &self.audience)
            .bytes("nonce", &self.nonce)
            .finish()
    }
}

/// What came of a result that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignedResult {
    pub shape: ResultShape,
    pub audience: String,
    pub token: Token,
    pub expires_at_unix_ms: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Token {
    /// A kind that this version does not know.
    #[default]
    Unknown,
    /// In ASCII.
    Text(String),
    /// In CBOR.
    Binary(Vec<u8>),
    /// Nothing was signed: a stable word, and a sentence for people.
    Problem { code: String, sentence: String },
}

impl Answer for SignedResult {
    fn read(fields: &Fields<'_>) -> Result<SignedResult, String> {
        struct Problem(String, String);
        impl Answer for Problem {
            fn read(fields: &Fields<'_>) -> Result<Problem, String> {
                Ok(Problem(fields.text("code")?, fields.text("sentence")?))
            }
        }
        let token = if fields.has("text") {
            Token::Text(fields.text("text")?)
        } else if fields.has("binary") {
            Token::Binary(fields.bytes("binary")?)
        } else if let Some(Problem(code, sentence)) = fields.optional("problem")? {
            Token::Problem { code, sentence }
        } else {
            Token::Unknown
        };
        Ok(SignedResult {
            shape: fields.name("shape", ResultShape::named)?,
            audience: fields.text("audience")?,
            token,
            expires_at_unix_ms: fields.integer("expiresAtUnixMs")?,
        })
    }
}

/// The keys by which signed results are checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResultKeys {
    /// `iss` of the results.
    pub issuer: String,
    /// The JWK Set (RFC 7517) as JSON text.
    pub jwks: String,
    pub raw: Object,
}

impl Answer for ResultKeys {
    fn read(fields: &Fields<'_>) -> Result<ResultKeys, String> {
        Ok(ResultKeys { issuer: fields.text("issuer")?, jwks: fields.text("jwks")?, raw: fields.raw() })
    }
}
