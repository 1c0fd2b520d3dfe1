import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  addTask,
  describeFailure,
  fingerprintOf,
  signatureOf
} from "../../../../src/domain/tasks/Failure/Fingerprint.ts"
import { maskIds, maskMessage } from "../../../../src/domain/tasks/Failure/Mask.ts"
import { truncatedException } from "../../../../src/domain/tasks/Failure/TruncatedStack.ts"
import { fold, recorded } from "../TaskHistory/Recorded.ts"

const python = (exception: string, ...frames: ReadonlyArray<string>) =>
  [
    "Traceback (most recent call last):",
    "  File \"/srv/app/venv/lib/python3.11/site-packages/celery/app/trace.py\", line 564, in trace_task",
    "    R = retval = fun(*args, **kwargs)",
    "                 ^^^^^^^^^^^^^^^^^^^^",
    ...frames.map((frame) => `  File ${frame}\n    raise Something('else')`),
    `${exception}\n`
  ].join("\n")

const node = (first: string, ...frames: ReadonlyArray<string>) =>
  [first, ...frames.map((frame) => `    at ${frame}`)].join("\n")

const shopFrame = "\"/srv/releases/20261123101500/shop/orders.py\", line 22, in pay"

/** What is hashed: type, then frames, or type and message. */
const vectors: ReadonlyArray<
  readonly [title: string, exception: string | null, traceback: string | null, text: string]
> = [
  [
    "Celery: the traceback's own frames",
    "ValueError: no order 17",
    python("ValueError: no order 17", shopFrame),
    "ValueError\nshop/orders.py:pay"
  ],
  [
    "Celery's broker names a wrapper, the traceback what was raised",
    "ExceptionWithTraceback()",
    python("shop.errors.Late: after 3 s", shopFrame),
    "Late\nshop/orders.py:pay"
  ],
  [
    "a chain: the exception that ended the task",
    "RuntimeError: cannot pay",
    `${python("KeyError: 'id'", "\"/srv/shop/cache.py\", line 3, in find")}
During handling of the above exception, another exception occurred:

${python("RuntimeError: cannot pay", shopFrame)}`,
    "RuntimeError\nshop/orders.py:pay"
  ],
  [
    "an exception group: its own block",
    "ExceptionGroup: two failed (2 sub-exceptions)",
    `  + Exception Group Traceback (most recent call last):
  |   File "/srv/app/shop/orders.py", line 12, in pay_all
  |     async with asyncio.TaskGroup() as group:
  |   File "/usr/lib/python3.12/asyncio/taskgroups.py", line 145, in __aexit__
  |     raise me from None
  | ExceptionGroup: two failed (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/srv/app/shop/orders.py", line 8, in other
    | ValueError: 1
    +------------------------------------`,
    "ExceptionGroup\nshop/orders.py:pay_all"
  ],
  [
    "RQ: the traceback as the exception",
    python("redis.exceptions.ConnectionError: Error 111", shopFrame),
    null,
    "ConnectionError\nshop/orders.py:pay"
  ],
  [
    "a message of several lines, the second like an exception",
    "ValueError: bad",
    python("ValueError: bad\nDetail: 1", shopFrame),
    "ValueError\nshop/orders.py:pay"
  ],
  [
    "the innermost three frames",
    "ValueError: 1",
    python("ValueError: 1", ...["a", "b", "c", "d"].map((name) => `"/srv/shop/${name}.py", line 1, in ${name}`)),
    "ValueError\nshop/d.py:d\nshop/c.py:c\nshop/b.py:b"
  ],
  [
    "libraries alone: their innermost frames",
    "OSError: gone",
    python("OSError: gone", "\"C:\\Python312\\Lib\\socket.py\", line 3, in connect"),
    "OSError\nLib/socket.py:connect\napp/trace.py:trace_task"
  ],
  [
    "a traceback without its end",
    "ValueError: bad",
    python("", shopFrame).trimEnd() + "\n  File \"/srv/shop/deep",
    "ValueError\nshop/orders.py:pay"
  ],
  ["a masked traceback", "ValueError: [REDACTED]", "[REDACTED]", "ValueError: [REDACTED]"],
  [
    "RQ: a traceback that was truncated inside a frame: the frames that remain",
    truncatedException,
    `${python("", shopFrame).trimEnd()}\n  File "/srv/app/shop/de…[truncated]`,
    "\nshop/orders.py:pay"
  ],
  [
    "a traceback that was truncated inside the exception's type",
    "ValueError: 1",
    `${python("", shopFrame).trimEnd()}\nValue[...808 more bytes truncated]`,
    "ValueError\nshop/orders.py:pay"
  ],
  [
    "Celery: a traceback that its agent truncated inside the exception's type",
    "ValueError: 1",
    `${python("", shopFrame).trimEnd()}\nshop.La\n[... traceback truncated ...]`,
    "ValueError\nshop/orders.py:pay"
  ],
  [
    "a traceback that was truncated inside the message",
    "ValueError: 1",
    `${python("", shopFrame).trimEnd()}\nshop.Late: after 3 [...808 more bytes truncated]`,
    "Late\nshop/orders.py:pay"
  ],
  ["a traceback that an agent left out", "ValueError: 1", "", "ValueError: #"],
  [
    "BullMQ",
    "TypeError: Cannot read properties of undefined (reading 'id')",
    node(
      "TypeError: Cannot read properties of undefined (reading 'id')",
      "Object.get (/srv/app/node_modules/lodash/get.js:1:2)",
      "async Mailer.send [as handler] (file:///srv/app/dist/mail.js?v=3:10:5)",
      "new Job (C:\\app\\src\\job.ts:3:1)",
      "/srv/app/dist/worker.js:7:9",
      "process.processTicksAndRejections (node:internal/process/task_queues:95:5)"
    ),
    "TypeError\ndist/mail.js:Mailer.send\nsrc/job.ts:new Job\ndist/worker.js:"
  ],
  [
    "BullMQ: a cause has its own frames",
    "Error: outer",
    `${node("Error: outer", "outer (/srv/app/a.js:1:1)")}\nCaused by: ${
      node("Error: inner", "inner (/srv/app/b.js:1:1)")
    }`,
    "Error\napp/a.js:outer"
  ],
  [
    "a bundle, whose names have a hash of the content",
    "Error: one",
    node(
      "Error: one",
      "pay (file:///srv/app/dist/Shop-AWSGDVDQ.js:12:16089)",
      "run (file:///srv/app/dist/index-DiwrgTda.mjs:1:2)",
      "main (/srv/app/dist/order-Invoices.js:1:2)"
    ),
    "Error\ndist/Shop.js:pay\ndist/index.mjs:run\ndist/order-Invoices.js:main"
  ],
  ["Dramatiq", "ValueError: order 17 of ann@example.com", null, "ValueError: order # of ann@example.com"],
  ["Huey, a repr", "KeyError: 'z'", null, "KeyError: '*'"],
  ["Celery's repr", "ConnectionError('10.0.0.1:6379 refused')", null, "ConnectionError: ('*')"],
  ["Taskiq", "aiohttp.ClientError: 502, message=\"Bad\"", null, "ClientError: #, message='*'"],
  ["arq has no text", null, null, ": "],
  ["Huey's reason", "timeout", null, "timeout: "],
  [
    "a message alone",
    "Worker exited prematurely: exitcode 1 Job: 61.",
    null,
    ": Worker exited prematurely: exitcode # Job: #."
  ]
]

describe("fingerprint of a failure", () => {
  it.each(vectors)("%s", (_title, exception, traceback, text) => {
    assert.strictEqual(describeFailure({ exception, traceback }), text)
  })

  it("is the same for values, lines and folders that differ", () => {
    const failure = (order: number, release: string, line: number) => ({
      engine: "celery",
      name: "shop.pay",
      exception: `ValueError: no order ${order}`,
      traceback: python(`ValueError: no order ${order}`, `"/srv/${release}/shop/orders.py", line ${line}, in pay`)
    })
    const fingerprint = fingerprintOf(failure(1, "a", 10))
    assert.match(fingerprint, /^[0-9a-f]{16}$/)
    assert.strictEqual(fingerprintOf(failure(29, "b/c", 11)), fingerprint)
    for (const other of [{ engine: "rq" }, { name: "shop.refund" }, { traceback: null }]) {
      assert.notStrictEqual(fingerprintOf({ ...failure(1, "a", 10), ...other }), fingerprint)
    }
  })

  const fileIn = (folder: string) =>
    describeFailure({
      exception: "ValueError: 1",
      traceback: python("ValueError: 1", `"${folder}/tasks.py", line 1, in pay`)
    })

  it.each([
    [["/srv/releases/20261127", "/srv/releases/20261128101500", "/srv/releases/2026_11_27", "/srv/releases/7"]],
    [["/srv/releases/3f2a9bc", "/srv/releases/v42", "/srv/releases/blue-17"]],
    [["/app/v1.2.3", "/app/v1.10.0", "/app/1.2.3-rc1"]],
    [["/app/shop-1.2.3", "/app/shop-1.3.0.dev4"]],
    [["/app/shop_2026-11-27", "/app/shop_2026_11_28T10"]],
    [["/app/3f2a9bc", "/app/a1b2c3d", "/app/3f2a9bcd0e1f"]],
    [["/tmp/tmpa1b2c3_x", "/tmp/job-Xy12Za", "/var/folders/zz/T/build-a8"]],
    [["/run/web-7d9c6b5f4d-x2k9z", "/run/web-5c8f9d7b6-q4zzt"]],
    [["/usr/lib/python3.11", "/usr/lib/python3.12"]],
    [["/usr/lib/python3/site-packages/shop-1.0.1.egg", "/usr/lib/python3/site-packages/shop-1.1.0.egg"]],
    [["/nix/store/0c5mzw9d3p2r1f8y7k6j4h3g2s1a0b9c-shop-1.0", "/nix/store/0c5mzw9d3p2r1f8y7k6j4h3g2s1a0b9c-shop-1.1"]]
  ])("is of the code, not of the folder of its release or machine: %j", (folders) => {
    assert.strictEqual(new Set(folders.map(fileIn)).size, 1, folders.map(fileIn).join("; "))
  })

  it.each([
    ["/srv/app/shop", "shop/tasks.py"],
    ["/srv/api/v1", "v1/tasks.py"],
    ["/srv/api/v2", "v2/tasks.py"],
    ["/srv/app/step12", "step12/tasks.py"],
    ["/srv/releases/current", "current/tasks.py"],
    ["/srv/app/oauth2-client", "oauth2-client/tasks.py"],
    ["/srv/app/feedback", "feedback/tasks.py"],
    ["/srv/app/tmp_files", "tmp_files/tasks.py"],
    ["/srv/app/order-processing-queue", "order-processing-queue/tasks.py"],
    ["/app", "app/tasks.py"],
    ["/srv/releases/20261127", "#/tasks.py"]
  ])("keeps the group of %s", (folder, frame) => {
    assert.strictEqual(fileIn(folder), `ValueError\n${frame}:pay`)
  })

  it("is stable: it is stored", () => {
    assert.strictEqual(
      fingerprintOf({ engine: "huey", name: "mail", exception: "KeyError: 'z'", traceback: null }),
      "da7e679e72190cc2"
    )
  })

  it("does not depend on the depth at which a recursion ends", () => {
    const frames = ["walk", "visit"].map((name) => `"/srv/shop/tree.py", line 1, in ${name}`)
    const even = python("RecursionError: too deep", ...frames, ...frames)
    const odd = python("RecursionError: too deep", ...frames, ...frames, frames[0]!)
    assert.strictEqual(
      signatureOf({ exception: null, traceback: even }),
      signatureOf({ exception: null, traceback: odd })
    )
  })

  it("leaves ids out of the task's name, and an unknown name altogether", () => {
    assert.strictEqual(addTask("rq", "sync.tenant_48213", ""), addTask("rq", "sync.tenant_9914", ""))
    assert.notStrictEqual(addTask("rq", "sync.step1", ""), addTask("rq", "sync.step2", ""))
    assert.strictEqual(addTask("rq", "<unknown:3fa85f64>", ""), addTask("rq", "<unknown:0011aabb>", ""))
  })

  it.each([
    ["can't open 'a b' at 0x7f3a2c", "can't open '*' at #"],
    ["job 3fa85f64-5717-4562-b3fc-2c963f66afa6 took 1.25s,  not 3", "job # took #, not #"],
    ["/tmp/a1b2/x.csv: line 3", "/tmp/#/x.csv: line #"],
    ["an 'open quote", "an 'open quote"]
  ])("masks the message %s", (message, masked) => assert.strictEqual(maskMessage(message), masked))

  it.each([
    ["sync_3fa85f64-5717-4562-b3fc-2c963f66afa6", "sync_#"],
    ["report.2026", "report.#"],
    ["oauth2.step12", "oauth2.step12"],
    ["facade.decade", "facade.decade"]
  ])("masks the name %s", (name, masked) => assert.strictEqual(maskIds(name), masked))

  it("is the same for both reports of one Celery failure that have a traceback", () => {
    const lost = recorded.flatMap(({ events }) => {
      const failures = fold(events).entries.filter(({ kind }) => kind === "task.failed")
      return failures.length > 1 ? [failures.map(({ signature }) => signature)] : []
    })
    assert.isNotEmpty(lost)
    for (const signatures of lost) assert.strictEqual(new Set(signatures).size, 1)
  })

  it("takes any text", () => {
    const part = fc.constantFrom(
      "Traceback (most recent call last):\n",
      "  File \"",
      "\", line 1, in ",
      "\n    at ",
      " (",
      "):1:2",
      "'",
      "\ud800",
      "\u0000",
      "1a-",
      "\n"
    )
    const text = fc.option(fc.array(fc.oneof(part, fc.string())).map((parts) => parts.join("")))
    fc.assert(fc.property(text, text, (exception, traceback) => {
      assert.match(signatureOf({ exception, traceback }), /^[0-9a-f]{16}$/)
    }))
  })
})
