import { Effect, type Scope } from "effect"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { debianProgram } from "../debianProgram.ts"
import { startProgram } from "../e2e/childProgram.ts"
import { until } from "../until.ts"

const repository = join(import.meta.dirname, "../..")

const namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"]

/** Whether this machine lets the tests make namespaces, as a container runtime does. */
export const canIsolate = (() => {
  if (process.getuid?.() !== 0) return false
  try {
    execFileSync("unshare", [
      ...namespaces,
      "mount",
      "-t",
      "tmpfs",
      "x",
      "/mnt"
    ])
    return true
  } catch {
    return false
  }
})()

/**
 * What the image does, without an image: the whole file system read-only, one writable folder for SVC_HOME, the user of
 * the Dockerfile without capabilities, and a process tree of its own, whose process 1 is the given command.
 */
const script = `
  root=$1 repository=$2 user=$3
  shift 3
  mount --bind / "$root"
  mount -o remount,bind,ro "$root"
  mount --bind "$repository" "$root$repository"
  mount -o remount,bind,ro "$root$repository"
  mount -t tmpfs -o mode=0755 tmpfs "$root/mnt"
  install -d -o "$user" -g "$user" -m 0700 "$root/mnt/data"
  mount -t proc proc "$root/proc"
  mount --bind /dev "$root/dev"
  exec chroot "$root" setpriv --reuid "$user" --regid "$user" --clear-groups --bounding-set=-all --inh-caps=-all \\
    --no-new-privs "$@"`

export interface Contained {
  readonly log: () => string
  /** The exit code of process 1, once it ends by itself. */
  readonly exit: Effect.Effect<number | null>
  /** Sends SIGTERM to process 1; returns its exit code. */
  readonly stop: Effect.Effect<number | null>
  /** Runs a command beside it, in its process tree, as \`docker exec\` does. */
  readonly execute: (command: string) => Effect.Effect<string>
  /** The states of the processes whose parent is process 1, such as \`S\` and \`Z\`. */
  readonly children: Effect.Effect<ReadonlyArray<string>>
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(/\s+/).filter((text) => text !== "").map(
    Number
  )

const stateOf = (pid: number): string => /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? ""

/** Runs the command in the container of above; \`root\` is an empty folder. */
export const contain = (
  root: string,
  command: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>>
): Effect.Effect<Contained, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { child, log } = yield* startProgram("unshare", [
      ...namespaces,
      "sh",
      "-euc",
      script,
      "sh",
      root,
      repository,
      "10001",
      ...command
    ], { env: { PATH: process.env.PATH ?? "", SVC_HOME: "/mnt/data", NODE_ENV: "production", ...settings } })
    const outer = child.pid ?? 0
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
    const [first = 0] = yield* until(Effect.sync(() => childrenOf(outer)), ({ length }) => length === 1).pipe(
      Effect.orDie
    )
    return {
      log,
      exit: Effect.promise(() => ended),
      stop: Effect.promise(() => {
        process.kill(first, "SIGTERM")
        return ended
      }),
      execute: (command) =>
        Effect.sync(() =>
          execFileSync("nsenter", ["-t", String(first), "-p", "sh", "-c", command], { encoding: "utf8" })
        ),
      children: Effect.sync(() => childrenOf(first).map(stateOf))
    }
  })

/** tini, as the image has it. */
export const tini = Effect.promise(() => debianProgram("tini"))
