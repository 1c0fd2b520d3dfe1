import { Clock, Console, Effect, Either } from "effect"
import { accessSync, constants, existsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Brain } from "../../../scheduler/Brain.ts"
import { layer as layerBrain } from "../../../scheduler/GrpcBrain.ts"
import { SchedulerSettings, type SchedulerSettingsShape } from "../../../scheduler/Settings.ts"
import { checkTlsFiles, readTlsFiles, type TlsFiles } from "../../../scheduler/Tls.ts"
import { escapeJson, escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { readRunning } from "../Running.ts"
import type { inspectDefinitions } from "../serve.ts"
import { handleWithSettings } from "../Settings.ts"

interface Finding {
  readonly check: string
  readonly status: "ok" | "warning" | "failed" | "skipped"
  readonly detail: string
  /** What to do; empty where nothing is to be done. */
  readonly next: string
}

const ok = (check: string, detail: string): Finding => ({ check, status: "ok", detail, next: "" })
const warning = (check: string, detail: string, next: string): Finding => ({ check, status: "warning", detail, next })
const failedFinding = (check: string, detail: string, next: string): Finding => ({
  check,
  status: "failed",
  detail,
  next
})
const skippedFinding = (check: string, detail: string): Finding => ({ check, status: "skipped", detail, next: "" })

/** A certificate that expires sooner is reported. */
const renewalDays = 14

const maxSkewSeconds = 5

/** What to do about a connection that fails, by the text that the library gives. */
const advice: ReadonlyArray<readonly [RegExp, string]> = [
  [/ECONNREFUSED/, "start the brain with SVC_SCHEDULER_GRPC_BIND set, and compare SVC_SCHEDULER_BRAIN with its port"],
  [/ENOTFOUND|EAI_|Name resolution/, "correct the host name in SVC_SCHEDULER_BRAIN"],
  [
    /altnames|Hostname\/IP/i,
    "set SVC_SCHEDULER_TLS_SERVER_NAME to a name in the brain's certificate, or issue one for this host"
  ],
  [
    /self.signed|unable to (get|verify)|certificate/i,
    "set SVC_SCHEDULER_TLS_CA to the authority that signed the brain's certificate"
  ],
  [
    /wrong version number|packet length|EPROTO/i,
    "the port does not speak TLS; is it the brain's web port instead of its scheduler port?"
  ],
  [/permission denied|unauthenticated/i, "add the certificate's name to SVC_SCHEDULER_GRPC_ALLOWED_NAMES of the brain"],
  [/deadline exceeded/i, "the brain does not answer; see its log, and firewalls on the way"],
  [
    /Failed to connect|socket hang up|ECONNRESET|closed/i,
    "the brain refuses this certificate, and its log says why: another authority than SVC_SCHEDULER_GRPC_TLS_CA of the brain signed it, or SVC_SCHEDULER_GRPC_ALLOWED_NAMES lacks its name"
  ]
]

const adviceFor = (message: string): string =>
  advice.find(([pattern]) => pattern.test(message))?.[1] ?? "see the brain's log"

const isOpenToOthers = (path: string): boolean => (statSync(path).mode & 0o077) !== 0

/** The nearest folder that exists, which must be writable for the home folder to be created. */
const existingFolder = (path: string): string => (existsSync(path) ? path : existingFolder(dirname(path)))

const checkHome = (home: string): Finding => {
  const folder = existingFolder(home)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch {
    return failedFinding(
      "home",
      `${folder} is not writable for this user`,
      "change its owner, or set SVC_SCHEDULER_HOME"
    )
  }
  return folder === home && isOpenToOthers(home)
    ? warning("home", `${home} is open to other users`, `chmod 700 ${home}`)
    : ok("home", home)
}

const checkCertificate = (settings: SchedulerSettingsShape) =>
  Effect.map(
    Effect.either(Effect.flatMap(readTlsFiles(settings), (files) =>
      Effect.map(checkTlsFiles(files), (summary) => ({
        files,
        summary
      })))),
    Either.match({
      onLeft: ({ message }) => ({
        files: null,
        finding: failedFinding("certificate", message, "svc mint-scheduler-cert writes a certificate and its key")
      }),
      onRight: ({ files, summary: { daysLeft, subject } }) => ({
        files,
        finding: daysLeft < renewalDays
          ? warning(
            "certificate",
            `${subject} expires in ${daysLeft} days`,
            "issue another with svc mint-scheduler-cert, then svc-scheduler restart"
          )
          : isOpenToOthers(settings.tlsKey)
          ? warning("certificate", `other users can read the key ${settings.tlsKey}`, `chmod 600 ${settings.tlsKey}`)
          : ok("certificate", `${subject}, ${daysLeft} days left`)
      })
    })
  )

/** Connects as `serve` does, and holds no lease. */
const checkBrain = (address: string, settings: SchedulerSettingsShape, tls: TlsFiles) =>
  Effect.gen(function*() {
    const { listProjects, time, version } = yield* Brain
    const projects = (yield* listProjects).map(({ slug }) => slug)
    const now = yield* Clock.currentTimeMillis
    const skew = time === null ? 0 : (now - Timestamp.toEpochMillis(time)) / 1000
    const missing = settings.projects.filter((slug) => !projects.includes(slug))
    return [
      ok("brain", `${address}, svc ${version}`),
      Math.abs(skew) > maxSkewSeconds
        ? warning(
          "clock",
          `this machine is ${Math.abs(skew).toFixed(1)} s ${skew > 0 ? "ahead of" : "behind"} the brain`,
          "synchronise the clocks of both: ticks are decided by this one's"
        )
        : ok("clock", "as the brain's"),
      missing.length > 0
        ? failedFinding("projects", `the brain has no project ${missing.join(", ")}`, "correct SVC_SCHEDULER_PROJECTS")
        : ok("projects", (settings.projects.length === 0 ? projects : settings.projects).join(", ") || "none yet")
    ]
  }).pipe(
    Effect.provide(layerBrain({ address, instanceId: "check", tls })),
    Effect.catchTag(
      "BrainUnavailable",
      ({ message }) => Effect.succeed([failedFinding("brain", `${address}: ${message}`, adviceFor(message))])
    )
  )

const checkProcess = (home: string) =>
  Effect.map(readRunning(home), ({ counts, isRunning, state }): Finding => {
    if (!isRunning) return warning("process", "no svc-scheduler runs with this folder", "svc-scheduler serve")
    if (state?.connected_at === null) {
      return warning(
        "process",
        `process ${state.pid} is not connected: ${state.error ?? ""}`,
        "svc-scheduler restart, or wait"
      )
    }
    return ok("process", `process ${state?.pid ?? "?"} runs; ${counts.waiting_fires} fires wait`)
  })

const inspect = Effect.gen(function*() {
  const settings = yield* SchedulerSettings
  const certificate = yield* checkCertificate(settings)
  const { files } = certificate
  const brain = files === null
    ? [skippedFinding("brain", "needs the certificate")]
    : (yield* Effect.forEach(settings.brain, (address) => checkBrain(address, settings, files), { concurrency: 4 }))
      .flat()
  return { settings, findings: [certificate.finding, ...brain] }
})

const failIfAny = (findings: ReadonlyArray<Finding>) => {
  const count = findings.filter(({ status }) => status === "failed").length
  return count === 0
    ? Effect.void
    : Effect.fail(new CliError({ message: `${count} of ${findings.length} checks failed` }))
}

const formatFinding = ({ check, detail, next, status }: Finding): string =>
  `${check.padEnd(11)}  ${status.padEnd(7)}  ${escapeText(detail)}${
    next === "" ? "" : `\n${" ".repeat(22)}-> ${escapeText(next)}`
  }`

export const handlers: HandlersOf<typeof inspectDefinitions> = {
  check: handleWithSettings(function*({ json }) {
    const { findings } = yield* inspect
    const isOk = findings.every(({ status }) => status !== "failed")
    yield* Console.log(
      json ? escapeJson(JSON.stringify({ ok: isOk, findings })) : findings.map(formatFinding).join("\n")
    )
    yield* failIfAny(findings)
  }),
  doctor: handleWithSettings(function*() {
    const { findings, settings } = yield* inspect
    const all = [ok("settings", "valid"), checkHome(settings.home), ...findings, yield* checkProcess(settings.home)]
    yield* Console.log(all.map(formatFinding).join("\n"))
    yield* failIfAny(all)
  })
}
