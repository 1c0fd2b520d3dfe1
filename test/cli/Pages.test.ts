import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { settingsPage } from "../../scripts/settingsPage.ts"

describe("docs/settings.md", () => {
  it("is what src/services/kernel/Settings.ts and src/cli/program/ClientSettings.ts declare (`npm run docs` writes it)", () => {
    assert.strictEqual(readFileSync("docs/settings.md", "utf8"), settingsPage())
  })
})
