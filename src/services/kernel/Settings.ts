import { Context } from "effect"
import { agentProcessSettings } from "./Settings/AgentProcess.ts"
import { agentSettings } from "./Settings/Agents.ts"
import { auditLogSettings } from "./Settings/AuditLog.ts"
import { identitySettings } from "./Settings/Identity.ts"
import type { Setting } from "./Settings/Kinds.ts"
import { limitSettings } from "./Settings/Limits.ts"
import { observabilitySettings } from "./Settings/Observability.ts"
import { outboundSettings } from "./Settings/Outbound.ts"
import { retentionSettings } from "./Settings/Retention.ts"
import { schedulerSettings } from "./Settings/Scheduler.ts"
import { serverSettings } from "./Settings/Server.ts"

/**
 * Every setting of the program, declared once, by the kind of its value (`Settings/Kinds.ts`). The environment reader,
 * `svc init`, `svc config show`, `svc config validate`, `svc check` and the reference page in `docs/settings.md` are
 * derived from this list.
 */
export const settingDefinitions = {
  ...serverSettings,
  ...limitSettings,
  ...identitySettings,
  ...agentSettings,
  ...retentionSettings,
  ...auditLogSettings,
  ...outboundSettings,
  ...agentProcessSettings,
  ...observabilitySettings,
  ...schedulerSettings
} as const

export type SettingsShape = {
  readonly [Key in keyof typeof settingDefinitions]: (typeof settingDefinitions)[Key] extends Setting<infer A> ? A
    : never
}

/** The source of a value: `environment`, `file` (NAME_FILE), `tunables`, `default`, `option` (command line). */
export type SettingSource = "environment" | "file" | "tunables" | "default" | "option"

/** The program's settings, read and validated. */
export class Settings extends Context.Tag("svc/Settings")<
  Settings,
  SettingsShape & {
    /** Absolute path of SVC_HOME. */
    readonly home: string
    readonly sources: ReadonlyMap<string, SettingSource>
    /** Paths of the files that secrets were read from, by their setting's name. */
    readonly files: ReadonlyMap<string, string>
  }
>() {}
