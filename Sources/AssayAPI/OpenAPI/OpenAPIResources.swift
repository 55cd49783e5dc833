import AssayCore

/// What is served beside the methods: files that are read, and the authorisation of other servers' requests. No declaration says it, so it is
/// written here, and here alone.
enum OpenAPIResources {
    static let tag: JSONValue = .parsed(
        #"""
        {"name": "HTTP", "description": "Files, and the authorisation of requests to other servers. These are no methods: they exist over HTTP alone."}
        """#)

    /// By path.
    static var paths: [(key: String, value: JSONValue?)] { named(pathTexts) }

    private static let pathTexts: JSONValue = .parsed(
        #"""
        {
          "/openapi.json": {
            "get": {
              "operationId": "getOpenAPI",
              "tags": ["HTTP"],
              "summary": "This document",
              "description": "This document, where the configuration lets it be read.",
              "responses": {
                "200": {
                  "description": "The document.",
                  "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
                  "content": {"application/json": {"schema": {"type": "object"}}}
                },
                "304": {"description": "The document is the one that `If-None-Match` names."},
                "404": {"description": "It may not be read here."}
              }
            }
          },
          "/.well-known/jwks.json": {
            "get": {
              "operationId": "getResultKeys",
              "tags": ["HTTP"],
              "summary": "The keys of results",
              "description": "The public keys by which signed results are checked: a JWK Set (RFC 7517). Web pages of every origin may read it.",
              "responses": {
                "200": {
                  "description": "The keys.",
                  "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
                  "content": {"application/jwk-set+json": {"schema": {"$ref": "#/components/schemas/JWKSet"}}}
                },
                "304": {"description": "They are those that `If-None-Match` names."},
                "404": {"description": "Nothing is signed."}
              }
            }
          },
          "/.well-known/assay-issuer": {
            "get": {
              "operationId": "getResultIssuer",
              "tags": ["HTTP"],
              "summary": "The issuer of results",
              "description": "Who signs results, and in which shapes.",
              "responses": {
                "200": {
                  "description": "The issuer.",
                  "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ResultIssuerMetadata"}}}
                },
                "304": {"description": "They are those that `If-None-Match` names."},
                "404": {"description": "Nothing is signed."}
              }
            }
          },
          "/simulated/.well-known/jwks.json": {
            "get": {
              "operationId": "getSimulatedResultKeys",
              "tags": ["HTTP"],
              "summary": "The keys of results about simulated devices",
              "description": "As those of real devices. No key is in both.",
              "responses": {
                "200": {
                  "description": "The keys.",
                  "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
                  "content": {"application/jwk-set+json": {"schema": {"$ref": "#/components/schemas/JWKSet"}}}
                },
                "304": {"description": "They are those that `If-None-Match` names."},
                "404": {"description": "Nothing is signed."}
              }
            }
          },
          "/simulated/.well-known/assay-issuer": {
            "get": {
              "operationId": "getSimulatedResultIssuer",
              "tags": ["HTTP"],
              "summary": "The issuer of results about simulated devices",
              "description": "As that of real devices.",
              "responses": {
                "200": {
                  "description": "The issuer.",
                  "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ResultIssuerMetadata"}}}
                },
                "304": {"description": "They are those that `If-None-Match` names."},
                "404": {"description": "Nothing is signed."}
              }
            }
          },
          "/v1/authorities/{name}.cer": {
            "get": {
              "operationId": "getAuthorityCertificate",
              "tags": ["HTTP"],
              "summary": "The certificate of a CA",
              "description": "The certificate of a CA of device certificates.",
              "parameters": [{"$ref": "#/components/parameters/Authority"}],
              "responses": {
                "200": {
                  "description": "The certificate in DER.",
                  "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
                  "content": {"application/pkix-cert": {}}
                },
                "304": {"description": "The certificate is the one that `If-None-Match` names."},
                "404": {"description": "There is no such CA."}
              }
            }
          },
          "/v1/authorities/{name}.crl": {
            "get": {
              "operationId": "getAuthorityRevocationList",
              "tags": ["HTTP"],
              "summary": "The revocation list of a CA",
              "description": "The current revocation list of a CA of device certificates.",
              "parameters": [{"$ref": "#/components/parameters/Authority"}],
              "responses": {
                "200": {
                  "description": "The list in DER.",
                  "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
                  "content": {"application/pkix-crl": {}}
                },
                "304": {"description": "The list is the one that `If-None-Match` names."},
                "404": {"description": "There is no such CA, or it has no list."}
              }
            }
          },
          "/v1/status/{list}": {
            "get": {
              "operationId": "getStatusListFile",
              "tags": ["HTTP"],
              "summary": "A status list",
              "description": "A status list of the issuer of results, signed: whether results that name a place in it still hold (draft-ietf-oauth-status-list). `Accept` chooses between a JWT, which is the default, and a CWT. Web pages of every origin may read it.",
              "parameters": [{"$ref": "#/components/parameters/StatusList"}],
              "responses": {
                "200": {
                  "description": "The list.",
                  "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
                  "content": {"application/statuslist+jwt": {"schema": {"type": "string"}}, "application/statuslist+cwt": {}}
                },
                "304": {"description": "The list is the one that `If-None-Match` names."},
                "404": {"description": "There is no such list."},
                "406": {"description": "`Accept` takes neither form."},
                "501": {"description": "`time` asks for the list of another time, which is not kept."},
                "503": {"description": "No list that is good can be given now."}
              }
            }
          },
          "/simulated/v1/status/{list}": {
            "get": {
              "operationId": "getSimulatedStatusListFile",
              "tags": ["HTTP"],
              "summary": "A status list of simulated devices",
              "description": "A status list of the issuer of results about simulated devices, signed: whether results that name a place in it still hold (draft-ietf-oauth-status-list). `Accept` chooses between a JWT, which is the default, and a CWT. Web pages of every origin may read it.",
              "parameters": [{"$ref": "#/components/parameters/StatusList"}],
              "responses": {
                "200": {
                  "description": "The list.",
                  "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
                  "content": {"application/statuslist+jwt": {"schema": {"type": "string"}}, "application/statuslist+cwt": {}}
                },
                "304": {"description": "The list is the one that `If-None-Match` names."},
                "404": {"description": "There is no such list."},
                "406": {"description": "`Accept` takes neither form."},
                "501": {"description": "`time` asks for the list of another time, which is not kept."},
                "503": {"description": "No list that is good can be given now."}
              }
            }
          },
          "/v1/authorize": {
            "parameters": [
              {"$ref": "#/components/parameters/AppOfQuery"},
              {"$ref": "#/components/parameters/PurposeOfQuery"},
              {"$ref": "#/components/parameters/App"},
              {"$ref": "#/components/parameters/Purpose"},
              {"$ref": "#/components/parameters/Challenge"},
              {"$ref": "#/components/parameters/Context"},
              {"$ref": "#/components/parameters/Evidence"},
              {"$ref": "#/components/parameters/ContentSHA256"},
              {"$ref": "#/components/parameters/Subject"},
              {"$ref": "#/components/parameters/IdempotencyKey"}
            ],
            "get": {
              "operationId": "authorizeByGet",
              "tags": ["HTTP"],
              "summary": "Authorise a request to another server",
              "description": "The sub-request of a proxy, such as nginx, Caddy or Traefik, with the header of a client's request: its evidence is judged as by `Attestation.Verify`. Any method may be used, as proxies differ. No body is read.",
              "x-assay-roles": ["verify"],
              "responses": {
                "200": {"$ref": "#/components/responses/AuthorizationAccepted"},
                "403": {"$ref": "#/components/responses/AuthorizationRefused"},
                "500": {"$ref": "#/components/responses/AuthorizationFailed"},
                "503": {"$ref": "#/components/responses/AuthorizationUnavailable"}
              }
            },
            "post": {
              "operationId": "authorizeByPost",
              "tags": ["HTTP"],
              "summary": "Authorise a request to another server",
              "description": "As by GET, for proxies that use POST.",
              "x-assay-roles": ["verify"],
              "responses": {
                "200": {"$ref": "#/components/responses/AuthorizationAccepted"},
                "403": {"$ref": "#/components/responses/AuthorizationRefused"},
                "500": {"$ref": "#/components/responses/AuthorizationFailed"},
                "503": {"$ref": "#/components/responses/AuthorizationUnavailable"}
              }
            }
          }
        }
        """#)

    static var parameters: [(key: String, value: JSONValue?)] { named(parameterTexts) }
    static var responses: [(key: String, value: JSONValue?)] { named(responseTexts) }
    static var headers: [(key: String, value: JSONValue?)] { named(headerTexts) }
    static var schemas: [(key: String, value: JSONValue?)] { named(schemaTexts) }

    private static func named(_ object: JSONValue) -> [(key: String, value: JSONValue?)] {
        object.members.map { (String(decoding: $0.name, as: UTF8.self), $0.value) }
    }

    private static let parameterTexts: JSONValue = .parsed(
        #"""
        {
          "Authority": {
            "name": "name", "in": "path", "required": true,
            "description": "The CA's name in the configuration, as `Provisioning.GetAuthorities` has it.",
            "schema": {"type": "string"}
          },
          "StatusList": {
            "name": "list", "in": "path", "required": true,
            "description": "The number of the list, at the end of the address that a result names.",
            "schema": {"type": "integer", "minimum": 0, "maximum": 4294967295}
          },
          "AppOfQuery": {
            "name": "app", "in": "query",
            "description": "The app, stated by the proxy's configuration. It is believed in place of the header.",
            "schema": {"type": "string"}
          },
          "PurposeOfQuery": {
            "name": "purpose", "in": "query",
            "description": "The purpose, stated by the proxy's configuration. It is believed in place of the header.",
            "schema": {"type": "string", "enum": ["assert", "register"]}
          },
          "App": {"name": "Assay-App", "in": "header", "description": "The app.", "schema": {"type": "string", "maxLength": 64}},
          "Purpose": {
            "name": "Assay-Purpose", "in": "header",
            "description": "The purpose. Left out: `assert`.",
            "schema": {"type": "string", "enum": ["assert", "register"]}
          },
          "Challenge": {
            "name": "Assay-Challenge", "in": "header",
            "description": "The challenge, in Base64 or base64url.",
            "schema": {"type": "string", "contentEncoding": "base64", "maxLength": 128}
          },
          "Context": {
            "name": "Assay-Context", "in": "header",
            "description": "The context that the challenge was issued for.",
            "schema": {"type": "string", "maxLength": 64}
          },
          "Evidence": {
            "name": "Assay-Evidence", "in": "header", "required": true,
            "description": "The evidence as JSON. Several pieces have commas between them, or stand in several fields.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Evidence"}}}
          },
          "ContentSHA256": {
            "name": "Assay-Content-SHA256", "in": "header",
            "description": "SHA-256 of the request's body, which the device signed: hexadecimal, Base64 or base64url. It is the client's word until the service compares it with the body.",
            "schema": {"type": "string", "maxLength": 128}
          },
          "Subject": {
            "name": "Assay-Subject", "in": "header",
            "description": "The caller's account or user.",
            "schema": {"type": "string", "maxLength": 256}
          }
        }
        """#)

    private static let responseTexts: JSONValue = .parsed(
        #"""
        {
          "AuthorizationAccepted": {
            "description": "The evidence was accepted: the proxy lets the request through. The header is for the service behind it.",
            "headers": {
              "Assay-App": {"description": "The app.", "schema": {"type": "string"}},
              "Assay-Purpose": {"description": "The purpose.", "schema": {"type": "string", "enum": ["assert", "register"]}},
              "Assay-Device-Id": {"description": "The device: `dev_` and 32 hexadecimal digits.", "schema": {"type": "string"}},
              "Assay-Assurance": {
                "description": "How strong the evidence is.",
                "schema": {"type": "string", "enum": ["software", "platform", "hardware", "secure_element"]}
              },
              "Assay-Request-Id": {"description": "Names the verdict: 32 hexadecimal digits.", "schema": {"type": "string"}},
              "Assay-Payload-Declared": {
                "description": "`true`: only the device vouches for the digest, and the service has to compare it with the body.",
                "schema": {"type": "boolean"}
              },
              "Assay-Payload-Sha256": {
                "description": "The digest of the body that the device signed, in hexadecimal; left out where none is bound.",
                "schema": {"type": "string"}
              },
              "Assay-Repeated": {
                "description": "`true`: the request was accepted before, under the same idempotency key.", "schema": {"type": "boolean"}
              },
              "Assay-Simulated": {"description": "`true`: the trust is that of a test root.", "schema": {"type": "boolean"}}
            }
          },
          "AuthorizationRefused": {
            "description": "The evidence was rejected, or the header is not one that can be judged.",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/AuthorizationProblem"}}}
          },
          "AuthorizationFailed": {
            "description": "The request could not be judged, for a reason that is not the client's.",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/AuthorizationProblem"}}}
          },
          "AuthorizationUnavailable": {
            "description": "No verdict can be given now.",
            "headers": {"Retry-After": {"$ref": "#/components/headers/RetryAfter"}},
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/AuthorizationProblem"}}}
          }
        }
        """#)

    private static let schemaTexts: JSONValue = .parsed(
        #"""
        {
          "JWKSet": {
            "type": "object",
            "description": "A JWK Set (RFC 7517).",
            "required": ["keys"],
            "properties": {
              "keys": {
                "type": "array",
                "items": {
                  "type": "object",
                  "required": ["kty", "crv", "kid", "alg", "use", "x"],
                  "properties": {
                    "kty": {"type": "string", "enum": ["EC", "OKP"]},
                    "crv": {"type": "string", "enum": ["P-256", "P-384", "Ed25519"]},
                    "kid": {"type": "string", "description": "The key's thumbprint (RFC 7638)."},
                    "alg": {"type": "string", "enum": ["ES256", "ES384", "EdDSA"]},
                    "use": {"type": "string", "enum": ["sig"]},
                    "x": {"type": "string"},
                    "y": {"type": "string"},
                    "x5c": {"type": "array", "items": {"type": "string", "contentEncoding": "base64"}, "description": "The certificates of a key that has some."}
                  }
                }
              }
            }
          },
          "ResultIssuerMetadata": {
            "type": "object",
            "description": "What an issuer of results says of itself.",
            "required": ["issuer", "jwks_uri", "simulated", "result_signing_alg_values_supported", "results_supported"],
            "properties": {
              "issuer": {"type": "string", "description": "`iss` of its results."},
              "jwks_uri": {"type": "string"},
              "simulated": {"type": "boolean", "description": "`true`: its results are about simulated devices."},
              "result_signing_alg_values_supported": {"type": "array", "items": {"type": "string"}},
              "results_supported": {
                "type": "array",
                "items": {
                  "type": "object",
                  "required": ["shape", "typ", "specification"],
                  "properties": {
                    "shape": {"type": "string"},
                    "typ": {"type": "string", "description": "Of the token's header."},
                    "specification": {"type": "string", "description": "The text that the shape follows, and its version."}
                  }
                }
              }
            }
          },
          "AuthorizationProblem": {
            "type": "object",
            "description": "Why a request is not let through (RFC 9457). `reason` and `retry` stand in the header, too, as `assay-reason` and `assay-retry`.",
            "properties": {
              "type": {"type": "string"},
              "title": {"type": "string"},
              "status": {"type": "integer"},
              "detail": {"type": "string", "description": "For people."},
              "reason": {"type": "string", "description": "A stable word: a code of docs/reference/reason-codes.md, or the reason of an error."},
              "check": {"type": "string", "description": "The check that says so."},
              "retry": {"type": "string", "description": "What the client may do next: a retry class of docs/reference/reason-codes.md."},
              "requestId": {"type": "string", "description": "Names the verdict: 32 hexadecimal digits."}
            }
          }
        }
        """#)

    private static let headerTexts: JSONValue = .parsed(
        #"""
        {"ETag": {"description": "Names the content, for `If-None-Match`.", "schema": {"type": "string"}}}
        """#)
}
