import { writeFileSync } from "node:fs"
import { settingsPage } from "./settingsPage.ts"

writeFileSync("docs/settings.md", settingsPage())
