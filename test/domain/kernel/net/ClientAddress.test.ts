import { assert, describe, it } from "@effect/vitest"
import { clientAddress, parseProxies } from "../../../../src/domain/kernel/net/ClientAddress.ts"

const proxies = parseProxies(["10.0.0.0/8", "192.0.2.1", "2001:db8:f::/48"])

describe("the address of a client", () => {
  const cases: ReadonlyArray<readonly [string, string | undefined, string | undefined, string | null]> = [
    ["without a proxy it is the peer's", "203.0.113.9", undefined, "203.0.113.9"],
    ["an untrusted peer can send any header", "203.0.113.9", "10.0.0.1, 127.0.0.1", "203.0.113.9"],
    ["a trusted proxy is believed", "10.0.0.1", "203.0.113.9", "203.0.113.9"],
    [
      "it is the last that is not trusted: what comes before it was sent",
      "10.0.0.1",
      "127.0.0.1, 198.51.100.4, 203.0.113.9",
      "203.0.113.9"
    ],
    ["through several proxies", "10.0.0.1", "1.1.1.1, 203.0.113.9, 192.0.2.1, 10.9.9.9", "203.0.113.9"],
    ["a trusted address that was sent before does not help", "10.0.0.1", "10.0.0.7, 203.0.113.9", "203.0.113.9"],
    ["all of them trusted: the first", "10.0.0.1", "10.3.3.3, 192.0.2.1", "10.3.3.3"],
    ["what is no address ends the chain", "10.0.0.1", "203.0.113.9, unknown, 192.0.2.1", "192.0.2.1"],
    ["garbage alone is the proxy", "10.0.0.1", "<script>", "10.0.0.1"],
    ["neither a number nor a short form is an address", "10.0.0.1", "2130706433", "10.0.0.1"],
    ["nor a range", "10.0.0.1", "203.0.113.0/24", "10.0.0.1"],
    ["nothing at all is the proxy", "10.0.0.1", "", "10.0.0.1"],
    ["empty places too", "10.0.0.1", "203.0.113.9,,", "10.0.0.1"],
    ["with a port", "10.0.0.1", "203.0.113.9:51234", "203.0.113.9"],
    ["IPv6", "10.0.0.1", "2001:DB8:0::9", "2001:db8::9"],
    ["IPv6 with a port", "10.0.0.1", "[2001:db8::9]:443", "2001:db8::9"],
    ["IPv6 in brackets", "10.0.0.1", "[2001:db8::9]", "2001:db8::9"],
    ["a proxy on IPv6", "2001:db8:f::1", "203.0.113.9", "203.0.113.9"],
    ["IPv4 in IPv6 form is IPv4, as peer and as hop", "::ffff:10.0.0.1", "::ffff:203.0.113.9", "203.0.113.9"],
    ["IPv4-compatible IPv6 is another address than the IPv4", "10.0.0.1", "::192.0.2.1", "::c000:201"],
    ["also as the proxy's own address", "::10.0.0.1", "203.0.113.9", "::a00:1"],
    ["and as a hop", "10.0.0.1", "203.0.113.9, ::10.0.0.2", "::a00:2"],
    ["no peer, no address", undefined, "203.0.113.9", null]
  ]
  for (const [what, peer, forwarded, expected] of cases) {
    it(`${what}`, () => assert.strictEqual(clientAddress(peer, forwarded, proxies), expected))
  }

  it("no proxy is trusted unless the settings name it", () => {
    assert.strictEqual(clientAddress("127.0.0.1", "203.0.113.9", parseProxies([])), "127.0.0.1")
  })
})
