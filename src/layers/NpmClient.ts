import { Duration, Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { NpmClient, NpmFailed, type NpmOptions } from "../services/kernel/NpmClient.ts"

/** The versions of a package are some 10 KB; more than this does not come from a registry. */
const maxOutputBytes = 4 * 1024 * 1024
const maxErrorCharacters = 16_384

/** npm runs the install scripts of packages, which need none of svc's secrets. */
const environmentWithoutSecrets = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SVC|Z4J)_/i.test(name)))

const failureOf = (code: number | null, output: string, errors: string): NpmFailed => {
  const text = `${output}\n${errors}`
  const codes = [...text.matchAll(/\b(E[A-Z0-9_]{2,30})\b/g)].map(([, found = ""]) => found)
  if (codes.includes("E404")) {
    return new NpmFailed({ reason: "unknown_package", message: "the registry does not have the package" })
  }
  const offline = codes.find((one) => /^(ECONN|ENOTFOUND|EAI_|ENET|EHOST|ETIMEDOUT|ENOTCACHED|ESOCKET)/.test(one))
  if (offline !== undefined) {
    return new NpmFailed({
      reason: "offline",
      message: `the registry that npm is configured with cannot be reached (${offline})`
    })
  }
  return new NpmFailed({
    reason: "npm_failed",
    message: `npm ended with ${code ?? "a signal"}${codes[0] === undefined ? "" : ` (${codes[0]})`}`
  })
}

/** Ends npm and what it started: a process group of its own. */
const killGroup = (pid: number | undefined) => {
  if (pid === undefined) return
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // it has ended
  }
}

const run = (args: ReadonlyArray<string>, { cwd, timeout }: NpmOptions) =>
  Effect.async<string, NpmFailed>((resume) => {
    const child = spawn("npm", [...args, "--no-fund", "--no-audit", "--no-update-notifier"], {
      env: environmentWithoutSecrets(),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
      ...(cwd !== undefined && { cwd })
    })
    const chunks: Array<Buffer> = []
    let bytes = 0
    let errors = ""
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxOutputBytes) return void chunks.push(chunk)
      killGroup(child.pid)
    })
    child.stderr.on("data", (chunk) => (errors = (errors + String(chunk)).slice(-maxErrorCharacters)))
    child.on("error", (cause) =>
      resume(
        new NpmFailed({ reason: "npm_missing", message: `npm cannot be started on this machine (${cause.message})` })
      ))
    child.on("close", (code) => {
      const output = Buffer.concat(chunks).toString("utf8")
      if (bytes > maxOutputBytes) {
        return resume(new NpmFailed({ reason: "invalid_answer", message: "npm printed more than 4 MiB" }))
      }
      resume(code === 0 ? Effect.succeed(output) : failureOf(code, output, errors))
    })
    return Effect.sync(() => killGroup(child.pid))
  }).pipe(
    Effect.timeoutFail({
      duration: timeout,
      onTimeout: () =>
        new NpmFailed({
          reason: "timeout",
          message: `npm did not end within ${Math.round(Duration.toSeconds(timeout))} seconds`
        })
    })
  )

/** With the environment of this process, where npm finds its registry, proxy and home. */
export const layer = Layer.succeed(NpmClient, { run })
