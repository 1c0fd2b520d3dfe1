import { assert, describe, it } from "@effect/vitest"
import { findRefusedRange, parseAddress } from "../../../../src/domain/kernel/net/OutboundAddress.ts"

describe("addresses that are not called from inside", () => {
  const refused: Readonly<Record<string, string>> = {
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback",
    "0.0.0.0": "unspecified",
    "0.1.2.3": "unspecified",
    "10.0.0.1": "private",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.168.1.1": "private",
    "169.254.169.254": "linkLocal",
    "168.63.129.16": "cloudMetadata",
    "100.64.0.1": "carrierGradeNat",
    "100.127.255.255": "carrierGradeNat",
    "192.0.0.192": "reserved",
    "192.0.2.1": "reserved",
    "198.51.100.1": "reserved",
    "203.0.113.1": "reserved",
    "192.88.99.1": "reserved",
    "198.18.0.1": "reserved",
    "198.19.255.255": "reserved",
    "224.0.0.1": "multicast",
    "239.255.255.255": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "broadcast",
    "::": "unspecified",
    "::1": "loopback",
    "::127.0.0.1": "reserved",
    "::7f00:1": "reserved",
    "::ffff:127.0.0.1": "ipv4Mapped",
    "::ffff:7f00:1": "ipv4Mapped",
    "::ffff:8.8.8.8": "ipv4Mapped",
    "64:ff9b::7f00:1": "rfc6052",
    "64:ff9b::8.8.8.8": "rfc6052",
    "64:ff9b:1::a9fe:a9fe": "rfc6052",
    "64:ff9b:1:7f00:0:100::": "rfc6052",
    "2002:7f00:1::": "6to4",
    "2002:808:808::1": "6to4",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2": "teredo",
    "2001:2::1": "benchmarking",
    "2001:db8::1": "reserved",
    "3fff::1": "reserved",
    "fc00::1": "uniqueLocal",
    "fd00:ec2::254": "uniqueLocal",
    "fe80::1": "linkLocal",
    "fe80::1%eth0": "linkLocal",
    "fec0::1": "deprecatedSiteLocal",
    "ff02::1": "multicast",
    "100::1": "discard",
    "4000::1": "reserved",
    "5f00::1": "segmentRouting",
    "": "no address",
    "example.com": "no address",
    "10.0.0.1/8": "no address"
  }
  for (const [address, range] of Object.entries(refused)) {
    it(`${JSON.stringify(address)}: ${range}`, () => assert.strictEqual(findRefusedRange(address, []), range))
  }

  for (
    const address of [
      "8.8.8.8",
      "93.184.216.34",
      "172.15.255.255",
      "172.32.0.1",
      "100.63.255.255",
      "100.128.0.1",
      "198.17.255.255",
      "198.20.0.1",
      "2606:4700::1111",
      "2a00:1450:4001:81b::200e"
    ]
  ) {
    it(`${address} is public`, () => assert.isNull(findRefusedRange(address, [])))
  }

  it("whatever way 127.0.0.1 is written", () => {
    for (
      const text of [
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "127.0.0.0x1"
      ]
    ) {
      assert.strictEqual(parseAddress(text), "127.0.0.1", text)
      assert.strictEqual(findRefusedRange(text, []), "loopback", text)
    }
    assert.isNull(parseAddress("localhost"))
  })

  it("but for those that are named", () => {
    assert.isNull(findRefusedRange("10.1.2.3", ["10.0.0.0/8"]))
    assert.isNull(findRefusedRange("::ffff:10.1.2.3", ["10.0.0.0/8"]))
    assert.isNull(findRefusedRange("fd00::5", ["192.0.2.1", "fd00::/8"]))
    assert.strictEqual(findRefusedRange("192.168.0.1", ["10.0.0.0/8"]), "private")
  })

  it("and an address that carries another one needs both", () => {
    const carriers: ReadonlyArray<readonly [string, string, string]> = [
      ["64:ff9b::/96", "64:ff9b::8.8.8.8", "64:ff9b::10.0.0.1"],
      ["64:ff9b:1::/48", "64:ff9b:1::8.8.8.8", "64:ff9b:1:a00:0:100::"], // 10.0.0.1 around the octet 8
      ["64:ff9b:1::/48", "64:ff9b:1:808:8:800:808:808", "64:ff9b:1:808:8:800:a00:1"], // 10.0.0.1 at the end
      ["2002::/16", "2002:808:808::1", "2002:a00:1::1"],
      ["2001::/32", "2001:0:808:808:0:0:f7f7:f7f7", "2001:0:808:808:0:0:f5ff:fffe"] // its client is 10.0.0.1
    ]
    for (const [range, good, bad] of carriers) {
      assert.isNull(findRefusedRange(good, [range]), good)
      assert.strictEqual(findRefusedRange(bad, [range]), "private", bad)
      assert.isNull(findRefusedRange(bad, [range, "10.0.0.0/8"]), bad)
    }
  })
})
