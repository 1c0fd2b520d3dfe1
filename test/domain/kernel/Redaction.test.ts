import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { canonicalize } from "../../../src/domain/kernel/CanonicalJson.ts"
import * as Redaction from "../../../src/domain/kernel/Redaction.ts"

const { data, json, text } = Redaction.make([])
const masked = (value: Parameters<typeof canonicalize>[0]): unknown => JSON.parse(json(canonicalize(value)))
const R = "[REDACTED]"

describe("key names", () => {
  it.each([
    "password",
    "Password",
    "PASSWORD",
    "db_password",
    "dbPassword",
    "db-password",
    "userpassword",
    "new_password",
    "password_hash",
    "passwordConfirmation",
    "password2",
    "passwd",
    "pwd",
    "db_pwd",
    "pass",
    "SMTP_PASS",
    "secret",
    "client_secret",
    "clientSecret",
    "webhook-secret",
    "secret_key",
    "SECRET_KEY",
    "aws_secret_access_key",
    "AWS_ACCESS_KEY",
    "token",
    "access_token",
    "accessToken",
    "refresh-token",
    "csrfToken",
    "bearer_tokens",
    "api_key",
    "apiKey",
    "APIKEY",
    "X-API-Key",
    "stripe.api.key",
    "private_key",
    "privateKey",
    "Authorization",
    "authorization_header",
    "auth",
    "basic_auth",
    "proxyAuth",
    "credentials",
    "credential",
    "Cookie",
    "Set-Cookie",
    "ssn",
    "social_security_number",
    "creditCard",
    "credit_card_number",
    "card_number",
    "cvv",
    "cvc"
  ])("%s is masked", (key) => {
    assert.deepStrictEqual(masked({ a: [{ [key]: "hunter2", kept: 1 }] }), { a: [{ [key]: R, kept: 1 }] })
    assert.deepStrictEqual(masked({ [key]: { deep: [1, 2] } }), { [key]: R })
    assert.deepStrictEqual(masked({ [key]: 1234 }), { [key]: R })
  })

  it.each([
    "token_count",
    "max_tokens",
    "tokens",
    "total_tokens",
    "token_type",
    "tokenizer",
    "secret_santa_id",
    "password_changed_at",
    "password_length",
    "auth_method",
    "author",
    "authorized",
    "oauth_provider",
    "key",
    "keys",
    "primary_key",
    "public_key",
    "cache_key",
    "passenger",
    "compass",
    "bypass",
    "passed",
    "cookie_policy",
    "card",
    "cards",
    "session",
    "monkey",
    "turkey",
    "user_key"
  ])("%s is not", (key) => {
    assert.deepStrictEqual(masked({ a: [{ [key]: "plain" }] }), { a: [{ [key]: "plain" }] })
  })

  it("keeps what gives nothing away", () => {
    const value = { password: null, token: "", auth: true, secret: false }
    assert.deepStrictEqual(masked(value), value)
  })

  it("decides by the end of a key, however long it is", () => {
    const long = "aB_".repeat(300_000)
    assert.isTrue(Redaction.make([]).isSecretKey(`${long}password`))
    assert.isFalse(Redaction.make([]).isSecretKey(`password${long}`))
  })

  it("masks in JSON what it masks by key, in every spelling of a name", () => {
    const own = ["customerid", "tax_id"]
    const more = Redaction.make(own)
    const names = ["apikey", "accesskey", "private_key", "password", "token", "creditcardnumber", ...own]
    const separator = fc.constantFrom("", "", "", "_", "-", " ", ".", "__", " - ", "\"", "\u0001", "\n")
    const key = fc.constantFrom(...names).chain((name) =>
      fc.array(fc.tuple(separator, fc.boolean()), { minLength: name.length, maxLength: name.length }).map((spelling) =>
        [...name].map((letter, index) => {
          const [before, isUpper] = spelling[index]!
          return `${index === 0 ? "" : before}${isUpper ? letter.toUpperCase() : letter}`
        }).join("")
      )
    )
    fc.assert(
      fc.property(key, (key) => {
        const masked = JSON.parse(more.json(canonicalize({ [key]: "v" })))[key] === R
        assert.strictEqual(masked, more.isSecretKey(key), JSON.stringify(key))
      }),
      { numRuns: 5000 }
    )
    for (const spelling of ["customer_id", "customerId", "Customer-ID", "customer__id", "taxid", "TAX.ID"]) {
      assert.strictEqual(more.json(canonicalize({ [spelling]: "v" })), canonicalize({ [spelling]: R }))
    }
    assert.strictEqual(more.text("for customer_id=7 and taxId=8"), `for customer_id=${R} and taxId=${R}`)
    // a name of ours that is taken apart is no spelling of it, but another word: `photo_ken`
    assert.isFalse(more.isSecretKey("photo_ken"))
  })

  it("takes more names, in every spelling", () => {
    const more = Redaction.make(["iban", "customer-id", "Kennwort", " "])
    const value = {
      iban: "DE1",
      userIban: "DE2",
      customerId: "7",
      CUSTOMER_ID: "8",
      kennwort: "x",
      id: "9",
      customer: "c"
    }
    assert.deepStrictEqual(JSON.parse(more.json(canonicalize(value))), {
      iban: R,
      userIban: R,
      customerId: R,
      CUSTOMER_ID: R,
      kennwort: R,
      id: "9",
      customer: "c"
    })
    assert.strictEqual(
      more.text("failed with iban=DE1 for 'customer_id': 'x'"),
      `failed with iban=${R} for 'customer_id': '${R}'`
    )
  })
})

describe("texts", () => {
  it.each([
    ["Authorization: Bearer abcdefghijklmnop1234", `Authorization: Bearer ${R}`],
    ["Authorization: Basic dXNlcjpwYXNz", `Authorization: Basic ${R}`],
    ["got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN in header", `got ${R} in header`],
    ["cannot reach postgres://app:s3cr3t@db.internal:5432/shop", `cannot reach postgres://${R}@db.internal:5432/shop`],
    ["redis://:hunter2@cache/0 and amqp://u:p@mq//", `redis://${R}@cache/0 and amqp://${R}@mq//`],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nend", `${R}\nend`],
    ["-----BEGIN PRIVATE KEY-----\nMIIE cut off", R],
    ["key sk_live_4eC39HqLyjWDarjtT1zdp7dc used", `key ${R} used`],
    ["https://hooks.slack.com/services/T000/B000/XXXX", `https://hooks.slack.com/services/${R}`],
    ["xoxb-123456789012-abcdef", R],
    ["ghp_0123456789abcdefghijABCDEFGHIJ012345", R],
    ["AKIAIOSFODNN7EXAMPLE", R],
    ["AIzaSyA0123456789abcdefghijklmnopqrstuv", R],
    ["SG.abcdefghijklmnopqrst.uvwxyzABCDEFGHIJ", R],
    ["GET /x?token=abc&page=2", `GET /x?token=${R}&page=2`],
    ["host=db password=hunter2 dbname=x", `host=db password=${R} dbname=x`],
    ["call(password='a b', n=1)", `call(password='${R}', n=1)`],
    ["{'password': 'x', 'n': 1}", `{'password': '${R}', 'n': 1}`],
    ["{\"apiKey\": 12, \"n\": 1}", `{"apiKey": ${R}, "n": 1}`]
  ])("%s", (before, after) => {
    assert.strictEqual(text(before), after)
    assert.strictEqual(text(after), after)
    assert.deepStrictEqual(masked([before, { kept: before }]), [after, { kept: after }])
  })

  it.each([
    "ValueError: Invalid token: expected ')'",
    "the password is wrong",
    "KeyError: 'token'",
    "see https://example.com/a:b/c@d",
    "mail ann@example.com",
    "  File \"/app/tasks.py\", line 3, in run\n    token = next(tokens)",
    "{'password': None, 'secret': False}",
    "basic understandingofthings",
    "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----"
  ])("%s stays", (plain) => {
    assert.strictEqual(text(plain), plain)
    assert.strictEqual(json(JSON.stringify(plain)), JSON.stringify(plain))
  })

  it.each(["eyJ", "-eyJ", "://a:", "://", "bearer ", "a"])(
    "a million characters of %j end within the test's time and stay",
    (piece) => {
      const long = piece.repeat(Math.floor(1_000_000 / piece.length))
      assert.strictEqual(text(long), long)
    }
  )

  it.each([
    ["password=", `password=${R}`],
    ["password='", `password='${R}'`],
    ["'token': \"", `'token': "${R}"`],
    ["-----BEGIN PRIVATE KEY-----", R],
    ["sk-", R]
  ])("a million characters of %j end within the test's time and are masked", (piece, beginning) => {
    const masked = text(piece.repeat(Math.floor(1_000_000 / piece.length)))
    assert.isTrue(masked.startsWith(beginning))
  })
})

describe("an event's data", () => {
  it("is the same object when there is nothing to mask", () => {
    const clean = new Map([["task_name", "\"token.refresh\""], ["args", "[1,2.0]"], [
      "result",
      "{\"token_count\":12345678901234567890}"
    ]])
    assert.strictEqual(data(clean), clean)
  })

  it("is masked in every field that can hold a secret", () => {
    const found = data(
      new Map([
        ["task_name", "\"mail.send\""],
        ["args", "[{\"password\":\"x\"},1.0]"],
        ["kwargs", "{\"n\":12345678901234567890,\"token\":\"x\"}"],
        ["exception_message", "\"redis://:x@y\""],
        ["traceback", "\"password=hunter2\\nline\""],
        ["client_secret", "\"x\""]
      ])
    )
    assert.deepStrictEqual(
      found,
      new Map([
        ["task_name", "\"mail.send\""],
        ["args", `[{"password":"${R}"},1.0]`],
        ["kwargs", `{"n":12345678901234567890,"token":"${R}"}`],
        ["exception_message", `"redis://${R}@y"`],
        ["traceback", `"password=${R}\\nline"`],
        ["client_secret", `"${R}"`]
      ])
    )
  })
})

describe("any value", () => {
  const secret = "s3cr3tvalue"
  const key = fc.oneof(fc.string(), fc.constantFrom("password", "apiKey", "x-api-key", "refresh_token"))
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(fc.integer(), fc.bigInt(), fc.constant(null), fc.boolean(), fc.fullUnicodeString()),
      fc.array(tie("node"), { maxLength: 4 }),
      fc.dictionary(key, tie("node"), { maxKeys: 4 })
    )
    // the type of letrec says unknown; the nodes are built of JSON values above
  })).node as fc.Arbitrary<Parameters<typeof canonicalize>[0]>

  it("stays canonical, loses the secret at any depth, keeps the rest, and is masked once", () => {
    fc.assert(fc.property(tree, tree, fc.constantFrom("password", "dbPassword", "api-key"), (left, right, name) => {
      const before = canonicalize([left, { [name]: secret, zz: [{ [name]: [secret] }] }, right])
      const after = json(before)
      assert.notInclude(after, secret)
      assert.strictEqual(json(after), after)
      assert.include(after, canonicalize({ [name]: R, zz: [{ [name]: R }] }))
    }))
  })

  it("is left alone when nothing matches", () => {
    const plain = fc.stringMatching(/^[abcdefg0-9 "\\\n]{0,20}$/)
    fc.assert(
      fc.property(
        fc.dictionary(plain, fc.oneof(plain, fc.array(plain), fc.double({ noNaN: true, noDefaultInfinity: true }))),
        (value) => {
          const before = canonicalize(value)
          assert.strictEqual(json(before), before)
        }
      )
    )
  })
})
