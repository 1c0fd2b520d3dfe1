import type { Migration } from "../src/services/Migrations.ts"
import { m0001 } from "./0001_main.ts"
import { m0003 } from "./0003_invitations.ts"
import { m0004 } from "./0004_mfa.ts"
import { m0007 } from "./0007_activity.ts"

/** Every step in order. A step that has been released is never edited; the next one follows. */
export const migrations: ReadonlyArray<Migration> = [m0001, m0003, m0004, m0007]
