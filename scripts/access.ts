import { writeFileSync } from "node:fs"
import { accessTable } from "./accessTable.ts"

writeFileSync("docs/access.md", accessTable())
