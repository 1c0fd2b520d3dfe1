import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { parseSender, parseSmtpUrl, senderOf } from "../../../src/domain/kernel/Smtp.ts"

const server = (text: string) => Either.getOrThrow(parseSmtpUrl(text))

describe("SVC_SMTP_URL", () => {
  it("names a server, a login and how the line is kept secret", () => {
    assert.deepStrictEqual(server("smtp://mail.example.com"), {
      host: "mail.example.com",
      port: 587,
      login: null,
      security: "starttls"
    })
    assert.deepStrictEqual(server("smtps://ann%40example.com:p%2Fw%3A@mail.example.com/"), {
      host: "mail.example.com",
      port: 465,
      login: { user: "ann@example.com", password: "p/w:" },
      security: "tls"
    })
    assert.deepInclude(server("smtp://relay:25?tls=optional"), { port: 25, security: "optional" })
    assert.deepInclude(server("smtp://[::1]:25"), { host: "::1", security: "optional" })
    assert.deepInclude(server("smtp://127.0.0.1:1025"), { security: "optional" })
    assert.deepInclude(server("smtp://127.0.0.1.example.com"), { security: "starttls" })
  })

  it.each([
    "mail.example.com:25",
    "http://mail.example.com",
    "smtp://",
    "smtp://secret%@host",
    "smtp://secret@host?tls=no",
    "smtp://secret@host/path"
  ])(
    "refuses %s, and does not repeat it",
    (text) => {
      const problem = Either.flip(parseSmtpUrl(text)).pipe(Either.getOrThrow)
      assert.notInclude(problem, "secret")
    }
  )
})

describe("the sender", () => {
  it("is what SVC_SMTP_FROM says, else the login's address, else one at the public host", () => {
    assert.deepStrictEqual(Either.getOrThrow(parseSender("Tasks & more <svc@example.com>")), {
      name: "Tasks & more",
      address: "svc@example.com"
    })
    assert.deepStrictEqual(Either.getOrThrow(parseSender("svc@example.com")), { name: "", address: "svc@example.com" })
    for (const invalid of ["svc", "a@b, c@d", "Tasks\r\nBcc: x@y <svc@example.com>", "<a@b> c", "a@b c"]) {
      assert.isTrue(Either.isLeft(parseSender(invalid)), invalid)
    }
    const known = server("smtp://ann%40example.com:x@mail.example.com")
    assert.strictEqual(senderOf("", known, "https://svc.example").address, "ann@example.com")
    assert.strictEqual(senderOf("", server("smtp://relay"), "https://svc.example/x").address, "svc@svc.example")
    assert.strictEqual(senderOf("me@example.com", known, "https://svc.example").address, "me@example.com")
  })
})
