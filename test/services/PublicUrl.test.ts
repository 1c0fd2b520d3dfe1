import { assert, describe, it } from "@effect/vitest"
import { publicUrlOf } from "../../src/services/PublicUrl.ts"

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
})
