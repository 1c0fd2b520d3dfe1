import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { renderPage } from "../../src/http/Html/HtmlPage.ts"

describe("the pages that the server renders itself", () => {
  it("have the colours of the dashboard", () => {
    const tokens = readFileSync("web/src/theme/tokens.css", "utf8")
    const { html } = renderPage({ title: "svc", sections: "" })
    const colours = [...html.matchAll(/--([\w-]+): (light-dark\((?:[^()]|\([^()]*\))*\))/g)]
    assert.isAtLeast(colours.length, 8)
    for (const [, name, value] of colours) assert.include(tokens, `--color-${name}: ${value};`)
  })
})
