import type { Migration } from "../src/services/Migrations.ts"
import { m0001 } from "./0001_main.ts"

/** Every step in order. A step that has been released is never edited; the next one follows. */
export const migrations: ReadonlyArray<Migration> = [m0001]
