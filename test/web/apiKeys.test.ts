import { assert, describe, it } from "@effect/vitest"
import { groupScopes, parseAddresses } from "../../web/src/apiKeys/scopes.ts"

describe("the form of an API key", () => {
  it("reads addresses from lines and commas, and none as null", () => {
    assert.deepStrictEqual(parseAddresses(" 10.0.0.0/8, 2001:db8::/32\n192.0.2.7 "), [
      "10.0.0.0/8",
      "2001:db8::/32",
      "192.0.2.7"
    ])
    assert.isNull(parseAddresses(" \n"))
  })

  it("groups scopes by what they concern, and has the one of all at the end", () => {
    assert.deepStrictEqual(groupScopes(["admin:*", "tasks:read", "home:read", "tasks:write"]), [
      ["tasks", ["tasks:read", "tasks:write"]],
      ["home", ["home:read"]],
      ["admin", ["admin:*"]]
    ])
  })
})
