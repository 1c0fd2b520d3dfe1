import { assert, it } from "@effect/vitest"
import { shortId as shortIdOfCli } from "../../src/cli/io/ShortId.ts"
import { shortId } from "../../web/src/format/shortId.ts"

it("the dashboard and svc show the same eight characters of an id, and other ids whole", () => {
  const shown = {
    "019ab0c1-6f1f-7c3e-9d55-2f6b1f0a7b11": "1f0a7b11",
    "E33D595BD7044999B3F8F29B5E7636B8": "5E7636B8",
    "9f2c41d07be5a836": "7be5a836",
    "1598": "1598",
    "repeat:a1b2:1785000000000": "repeat:a1b2:1785000000000"
  }
  for (const [id, short] of Object.entries(shown)) {
    assert.deepStrictEqual([shortId(id), shortIdOfCli(id)], [short, short])
  }
})
