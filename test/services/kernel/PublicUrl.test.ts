import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { acceptsSecretsAt, publicUrlOf } from "../../../src/services/kernel/PublicUrl.ts"
import { url } from "../../../src/services/kernel/Settings/Kinds.ts"

describe("the public URL", () => {
  it.each([
    ["127.0.0.1", "", "http://127.0.0.1:7700"],
    ["0.0.0.0", "", "http://localhost:7700"],
    ["::", "", "http://localhost:7700"],
    ["::1", "", "http://[::1]:7700"],
    ["127.0.0.1", "https://svc.example/", "https://svc.example"],
    ["127.0.0.1", "https://example.com/svc", "https://example.com/svc"]
  ])("of host %s and setting %j is %s", (host, publicUrl, expected) => {
    assert.strictEqual(publicUrlOf({ host, port: 7700, publicUrl }), expected)
  })

  it("is https in capitals too", () => {
    const publicUrl = Either.getOrThrow(url("SVC_PUBLIC_URL", "").parse("HTTPS://svc.example/"))
    const takesSecrets = acceptsSecretsAt({ environment: "production", host: "0.0.0.0", port: 7700, publicUrl })
    assert.isTrue(takesSecrets("svc.example"))
  })
})
