import { execFile } from "node:child_process"
import { connect } from "node:net"
import { type DebianProgram, debianProgram } from "./debianProgram.ts"

/** What a test may need beside Node and the databases. test/README.md has the line that starts each. */
export type Need = "Redis" | "RabbitMQ" | "Python" | "OpenSSL" | "script" | "redis-server" | DebianProgram

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, timeout: 2000 })
    const done = (isListening: boolean) => {
      socket.destroy()
      resolve(isListening)
    }
    socket.once("connect", () => done(true)).once("error", () => done(false)).once("timeout", () => done(false))
  })

const runs = (command: string, ...args: ReadonlyArray<string>) =>
  new Promise<boolean>((resolve) => {
    execFile(command, [...args], (error) => resolve(error === null))
  })

const isObtainable = (name: DebianProgram) =>
  debianProgram(name).then(() => true, (error: unknown) => {
    console.warn(String(error))
    return false
  })

const probes: Readonly<Record<Need, () => Promise<boolean>>> = {
  Redis: () => listens(6379),
  // its program, for tests that kill it
  "redis-server": () => runs("redis-server", "--version"),
  RabbitMQ: () => listens(5672),
  // with its venv module: Debian's python3 may come without
  Python: () => runs("python3", "-c", "import venv, ensurepip"),
  // util-linux's: a terminal for tests
  script: () => runs("script", "-qec", "true", "/dev/null"),
  OpenSSL: () => runs("openssl", "version"),
  "chromium-headless-shell": () => isObtainable("chromium-headless-shell"),
  nginx: () => isObtainable("nginx"),
  caddy: () => isObtainable("caddy"),
  prometheus: () => isObtainable("prometheus"),
  promtool: () => isObtainable("promtool"),
  tini: () => isObtainable("tini")
}

/**
 * Whether everything is there. What is missing is printed in one line, and the tests are to be skipped; with CI=true
 * it is an error instead. Use at the top of a test file:
 * `const ready = await has("Redis", "Python")`, then `describe.skipIf(!ready)(…)`.
 */
export const has = async (...things: ReadonlyArray<Need>): Promise<boolean> => {
  const missing: Array<Need> = []
  for (const thing of things) {
    if (!await probes[thing]()) missing.push(thing)
  }
  if (missing.length === 0) return true
  const line = `needs ${missing.join(" and ")}, which is not here (test/README.md says how to start it)`
  if (process.env.CI === "true") throw new Error(line)
  console.warn(`skipped: ${line}`)
  return false
}
