import { assert, describe, it } from "@effect/vitest"
import { examplePath, groupScopes } from "../../web/src/apiKeys/scopes.ts"
import { parseLines } from "../../web/src/ui/lines.ts"

describe("the form of an API key", () => {
  it("reads addresses from lines and commas, and none as null", () => {
    assert.deepStrictEqual(parseLines(" 10.0.0.0/8, 2001:db8::/32\n192.0.2.7 "), [
      "10.0.0.0/8",
      "2001:db8::/32",
      "192.0.2.7"
    ])
    assert.isNull(parseLines(" \n"))
  })

  it("groups scopes by what they concern, and has the one of all at the end", () => {
    assert.deepStrictEqual(groupScopes(["admin:*", "tasks:read", "home:read", "tasks:write"]), [
      ["tasks", ["tasks:read", "tasks:write"]],
      ["home", ["home:read"]],
      ["admin", ["admin:*"]]
    ])
  })

  it("shows a path that a key with these scopes may call", () => {
    assert.strictEqual(examplePath(["tasks:read", "projects:read"]), "/projects")
    assert.strictEqual(examplePath(["admin:*"]), "/home/summary")
    assert.strictEqual(examplePath(["tasks:read"]), "/auth/me")
  })
})
