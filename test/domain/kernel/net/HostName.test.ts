import { assert, describe, it } from "@effect/vitest"
import { isLoopbackName, normalizeHostName, parseHostHeader } from "../../../../src/domain/kernel/net/HostName.ts"

describe("host names", () => {
  it("are read from a Host header without their port, in one form", () => {
    const read: Readonly<Record<string, string>> = {
      "svc.example.com": "svc.example.com",
      "SVC.Example.com:8443": "svc.example.com",
      "svc.example.com.": "svc.example.com",
      "svc.example.com.:443": "svc.example.com",
      "brain": "brain",
      "my_brain:7700": "my_brain",
      "xn--bcher-kva.example": "xn--bcher-kva.example",
      "192.0.2.7:80": "192.0.2.7",
      "[::1]:7700": "::1",
      "[2001:DB8:0::1]": "2001:db8::1",
      "[::ffff:192.0.2.7]": "192.0.2.7",
      "localhost:": "localhost"
    }
    for (const [header, name] of Object.entries(read)) assert.strictEqual(parseHostHeader(header), name, header)
  })

  it("are nothing else", () => {
    const malformed = [
      "",
      " ",
      ":7700",
      "a b",
      "a,b",
      "user@svc.example.com",
      "svc.example.com/path",
      "svc.example.com?x",
      "svc.example.com#x",
      "svc.example.com:port",
      "svc.example.com:65536",
      "svc.example.com:123456",
      "svc.example.com:80:80",
      "::1",
      "[::1",
      "::1]",
      "[::1]x",
      "[localhost]",
      "[127.0.0.1]",
      "[fe80::1%eth0]",
      ".example.com",
      "a..b",
      "-a.example",
      "a-.example",
      "127.1",
      "0x7f.0.0.1",
      "2130706433",
      "1.2.3.4.5",
      "999.0.0.1",
      "bücher.example",
      "a\u0000b",
      "x".repeat(64),
      `${"a.".repeat(130)}b`,
      "*.example.com"
    ]
    for (const header of malformed) assert.isNull(parseHostHeader(header), header)
  })

  it("of a list have no brackets and no port", () => {
    assert.strictEqual(normalizeHostName("Svc.Example.com"), "svc.example.com")
    assert.strictEqual(normalizeHostName("2001:db8::1"), "2001:db8::1")
    for (const text of ["https://svc.example.com", "svc.example.com:80", "[::1]", ""]) {
      assert.isNull(normalizeHostName(text), text)
    }
  })

  it("of this machine to itself are known", () => {
    for (const name of ["localhost", "shop.localhost", "127.0.0.1", "127.9.9.9", "::1"]) {
      assert.isTrue(isLoopbackName(name), name)
    }
    for (const name of ["localhost.example.com", "128.0.0.1", "notlocalhost", "127.example.com"]) {
      assert.isFalse(isLoopbackName(name), name)
    }
  })
})
