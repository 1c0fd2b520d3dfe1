import { Effect } from "effect"
import { join } from "node:path"
import { pythonHost, type PythonOptions } from "./pythonHost.ts"

/** A real Celery worker with the published agent beside it, in a virtual environment that is made once. */
const folder = join(import.meta.dirname, "celery")

export interface CeleryOptions extends PythonOptions {
  readonly node: string
  /** Where `shop.py` is, when it is another one than the tests' own. */
  readonly app?: string
  /** Whether the worker reports starts and ends (`-E`); true unless given. */
  readonly events?: boolean
}

/** A host of Celery's programs, as `pythonHost` makes it. */
export const celeryHost = (options: CeleryOptions) =>
  Effect.map(
    pythonHost({ environment: "celery", folder, app: options.app, options }),
    ({ env, home, python, start }) => {
      const shop = {
        SHOP_DATABASE: join(home, "shop.sqlite"),
        SHOP_LOG: join(home, "shop.log"),
        SHOP_EVENTS: options.events === false ? "off" : "on",
        Z4J_CELERY_LOCAL_HOSTNAME: options.node
      }
      return {
        env: { ...env, ...shop },
        python: (...args: ReadonlyArray<string>) => python(args, shop),
        start: (
          program: string,
          args: ReadonlyArray<string>,
          role: "task" | "scheduler",
          more: Readonly<Record<string, string>> = {}
        ) => start(program, args, role, { ...shop, ...more })
      } as const
    }
  )

/** A host with `celery worker` (prefork, two processes), with `-E` unless `events` is false. */
export const celeryWorker = (options: CeleryOptions) =>
  Effect.gen(function*() {
    const { python, start } = yield* celeryHost(options)
    const { log } = yield* start(
      "celery",
      [
        "-A",
        "shop",
        "worker",
        ...(options.events === false ? [] : ["-E"]),
        "--concurrency",
        "2",
        "--hostname",
        options.node,
        "--queues",
        "celery",
        "--loglevel",
        "INFO"
      ],
      "task"
    )
    /** Enqueues one of the shop's tasks by the name in `shop.py`; returns the task ids. */
    const send = (what: string) =>
      Effect.map(python("-m", "shop", what), (output) => (output.split("\n").at(-1) ?? "").split(" "))
    return { send, log, start, python } as const
  })
