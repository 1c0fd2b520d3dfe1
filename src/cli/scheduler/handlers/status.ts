import { Console, Effect } from "effect"
import { version } from "../../../domain/kernel/Version.ts"
import { protocolVersions } from "../../../scheduler/GrpcBrain.ts"
import { schedulerProgramDeclared, SchedulerSettings } from "../../../scheduler/Settings.ts"
import type { Setting } from "../../../services/kernel/Settings/Kinds.ts"
import { formatFields } from "../../io/Table.ts"
import { escapeJson, escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { readRunning, type Running } from "../Running.ts"
import type { statusDefinitions } from "../serve.ts"
import { handleWithSettings } from "../Settings.ts"

const notRunning = (home: string) =>
  new CliError({ message: `no svc-scheduler runs with the folder ${home}: start one with svc-scheduler serve` })

const roleOf = ({ projects }: Running): string =>
  projects.length === 0
    ? "no projects yet"
    : projects.map(({ is_held, slug }) => `${slug} (${is_held ? "fires" : "stands by"})`).join(", ")

export const handlers: HandlersOf<typeof statusDefinitions> = {
  status: handleWithSettings(function*({ json }) {
    const { brain, home, name } = yield* SchedulerSettings
    const running = yield* readRunning(home)
    const { counts, isRunning, projects, state } = running
    const isConnected = isRunning && state !== null && state.connected_at !== null
    const error = isRunning ? state?.error ?? null : null
    if (json) {
      const text = JSON.stringify({
        running: isRunning,
        name,
        pid: isRunning ? state?.pid : null,
        version: state?.version ?? null,
        started_at: state?.started_at ?? null,
        updated_at: state?.updated_at ?? null,
        brain,
        connected: isConnected,
        connected_at: isConnected ? state.connected_at : null,
        error,
        projects: projects.map(({ id, is_held, slug }) => ({ id, slug, role: is_held ? "fires" : "stands_by" })),
        ...counts,
        last_tick_at: state?.last_tick_at ?? null,
        last_handover_at: state?.last_handover_at ?? null
      })
      yield* Console.log(escapeJson(text))
    } else {
      yield* Console.log(formatFields([
        ["scheduler", isRunning ? `runs as process ${state?.pid ?? "?"} (${name})` : "does not run"],
        [
          "brain",
          `${brain.join(", ")}: ${isConnected ? "connected" : `not connected${error === null ? "" : ` (${error})`}`}`
        ],
        ["projects", roleOf(running)],
        ["schedules", counts.schedules],
        [
          "waiting",
          counts.waiting_fires === 0 ? "no fires" : `${counts.waiting_fires} fires since ${counts.oldest_waiting}`
        ],
        ["last tick", state?.last_tick_at ?? null],
        ["last sent", state?.last_handover_at ?? null],
        ["updated", state?.updated_at ?? null]
      ]))
    }
    if (!isRunning) return yield* notRunning(home)
  }),
  info: handleWithSettings(function*({ json }) {
    const settings = yield* SchedulerSettings
    const { instanceId } = yield* readRunning(settings.home)
    const rows = Object.entries(schedulerProgramDeclared).map(([key, declared]) => {
      const setting = declared as Setting<unknown> // the record's values differ in A only
      return [setting.name, setting.print(Reflect.get(settings, key))] as const
    })
    const facts = {
      version,
      node: process.versions.node,
      time_zones: process.versions.tz ?? null,
      protocol: protocolVersions,
      instance_id: instanceId
    }
    yield* Console.log(
      json
        ? escapeJson(JSON.stringify({ ...facts, settings: Object.fromEntries(rows) }))
        : [
          ...Object.entries(facts).map(([name, value]) =>
            `${name}: ${typeof value === "object" && value !== null ? JSON.stringify(value) : value ?? "none"}`
          ),
          ...rows.map(([name, value]) => `${name}=${value}`)
        ].map(escapeText).join("\n")
    )
  }),
  restart: handleWithSettings(function*() {
    const { home } = yield* SchedulerSettings
    const { isRunning, state } = yield* readRunning(home)
    if (!isRunning || state === null) return yield* notRunning(home)
    yield* Effect.try({
      try: () => process.kill(state.pid, "SIGHUP"),
      catch: () => new CliError({ message: `process ${state.pid} cannot be signalled: run this as its user` })
    })
    yield* Console.log(
      `asked process ${state.pid} to connect again; svc-scheduler status shows whether it is connected`
    )
  })
}
