import { assert, describe, it } from "@effect/vitest"
import { nameOfUserAgent } from "../../web/src/account/userAgent.ts"

const chrome =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"

describe("the name of a browser", () => {
  it.each([
    [chrome, "Chrome, Windows"],
    [`${chrome} Edg/140.0.0.0`, "Edge, Windows"],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", "Firefox, Linux"],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
      "Safari, iPhone"
    ],
    ["Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36", "Chrome, Android"],
    ["curl/8.14.1", "curl/8.14.1"],
    ["Ada's iPhone", "Ada's iPhone"]
  ])("of %s is %s", (header, name) => assert.strictEqual(nameOfUserAgent(header), name))
})
