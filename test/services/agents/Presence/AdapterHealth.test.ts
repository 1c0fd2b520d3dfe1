import { assert, describe, it } from "vitest"
import { make } from "../../../../src/domain/kernel/Redaction.ts"
import * as AdapterHealth from "../../../../src/services/agents/Presence/AdapterHealth.ts"

const readAdapterHealth = (health: Readonly<Record<string, unknown>>) =>
  AdapterHealth.readAdapterHealth(health, make(["pin"]))

const celery = (details: object) => readAdapterHealth({ "celery.worker_details": JSON.stringify(details) })

describe("adapter health", () => {
  it("takes what fits and leaves out what does not, whatever an agent sends", () => {
    for (
      const odd of [
        "",
        "null",
        "[]",
        "{",
        "3",
        "{\"w\":null}",
        "{\"w\":[1]}",
        "{\"w\":{\"stats\":7,\"active\":{},\"registered\":\"x\"}}"
      ]
    ) {
      const { workers } = readAdapterHealth({ "celery.worker_details": odd, "celery.queue_depths": odd })
      for (const worker of workers) assert.deepInclude(worker, { active_tasks: 0, queues: [], pid: null })
    }
    assert.deepStrictEqual(readAdapterHealth({ worker_details: "{}", "celery.error": "provider timed out" }), {
      brokers: new Map(),
      workers: [],
      queues: []
    })
  })

  it("says which brokers respond, and lists running tasks only where each is named", () => {
    const { brokers } = readAdapterHealth({ "celery.broker_connected": "True", "rq.broker_connected": "False" })
    assert.deepStrictEqual([...brokers], [["celery", true], ["rq", false]])
    const { workers } = celery({
      named: { active: [{ id: "a" }] },
      counted: { active: [0] },
      idle: { active: [] },
      idleUnnamed: {},
      beyondTheBound: { active: Array.from({ length: 2001 }, (_, n) => ({ id: `t${n}` })) }
    })
    assert.deepStrictEqual(workers.map(({ metadata }) => metadata.active_task_ids), [["a"], null, [], null, null])
  })

  it("reads numbers that a database can hold only", () => {
    const { workers: [worker] } = celery({
      "w@h": { stats: { pid: 2 ** 31, pool: { "max-concurrency": -1 }, total: { a: 3, b: "x", c: 4 } }, active: [1, 2] }
    })
    assert.deepInclude(worker, { pid: null, concurrency: null, active_tasks: 2 })
    assert.strictEqual(worker?.metadata.processed_since_start, 7)
  })

  it("reads the size of a prefork pool that was resized: its max-concurrency is the one that it started with", () => {
    const pool = (module: string) => ({
      implementation: `celery.concurrency.${module}:TaskPool`,
      "max-concurrency": 2,
      processes: [11, 12, 13]
    })
    const { workers } = celery({
      "a@h": { stats: { pool: pool("prefork") } },
      "b@h": { stats: { pool: pool("other") } },
      "c@h": { stats: { pool: { ...pool("prefork"), processes: [] } } }
    })
    assert.deepStrictEqual(workers.map(({ concurrency }) => concurrency), [3, 2, 2])
  })

  it("leaves out engines with names that no database holds", () => {
    const report = readAdapterHealth({
      "\0x.queue_depths": "{\"a\":1}",
      "\ud800.worker_details": "{\"w@h\":{}}",
      [`${"e".repeat(41)}.queue_depths`]: "{\"a\":1}",
      ".queue_depths": "{\"a\":1}",
      "rq.queue_depths": "{\"a\":1}"
    })
    assert.deepStrictEqual(report.workers, [])
    assert.deepStrictEqual(report.queues.map(({ engine, name }) => ({ engine, name })), [{ engine: "rq", name: "a" }])
  })

  it("does not truncate a broker's address within a character", () => {
    const long = "x".repeat(200)
    const { queues: [queue] } = celery({
      "w@h": {
        // 399 units, and then a character of two
        stats: {
          broker: { transport: "sqs", hostname: long.slice(0, 194), virtual_host: `${long.slice(0, 198)}\u{1f600}` }
        },
        active_queues: [{ name: "q" }]
      }
    })
    assert.isTrue(queue?.broker_url_hint?.isWellFormed())
  })

  it("keeps names with NUL or without end out, and truncates texts", () => {
    const { workers } = celery({
      "w\0@h": {},
      ["x".repeat(201)]: {},
      "w@h": { active_queues: [{ name: "q\0" }, { name: "ok" }], conf: { timezone: "z".repeat(600) } }
    })
    assert.deepStrictEqual(workers.map(({ name, queues }) => ({ name, queues })), [{ name: "w@h", queues: ["ok"] }])
    assert.deepStrictEqual(workers[0]?.metadata.conf, { timezone: "z".repeat(500) })
  })

  it("never shows a broker's credentials", () => {
    const { queues, workers } = celery({
      "w@h": {
        stats: {
          broker: { transport: "amqp", hostname: "mq", port: 5672, virtual_host: "/prod", userid: "u", password: "pw" }
        },
        active_queues: [{ name: "q" }],
        conf: { broker_url: "amqp://u:pw@mq", result_backend_password: "pw", task_serializer: "json" }
      }
    })
    assert.strictEqual(queues[0]?.broker_url_hint, "amqp://mq:5672/prod")
    assert.notInclude(JSON.stringify(workers), "pw")
    assert.deepStrictEqual(workers[0]?.metadata.conf, { task_serializer: "json" })
  })

  it("fact 14: an empty list of depths says nothing about a queue's depth", () => {
    const { queues } = readAdapterHealth({
      "celery.broker_type": "redis",
      "celery.queue_depths": "{}",
      "celery.worker_details": JSON.stringify({ "w@h": { active_queues: [{ name: "q" }] } })
    })
    assert.deepStrictEqual(queues, [{
      engine: "celery",
      name: "q",
      broker_type: "redis",
      broker_url_hint: null,
      depth: null,
      paused: null
    }])
  })

  it("joins depth and broker of a queue that several nodes read", () => {
    const node = {
      stats: { broker: { transport: "redis", hostname: "r", virtual_host: "0" } },
      active_queues: [{ name: "q" }]
    }
    const { queues } = readAdapterHealth({
      "celery.queue_depths": "{\"q\":12}",
      "celery.worker_details": JSON.stringify({ "w1@h": node, "w2@h": node })
    })
    assert.deepStrictEqual(queues, [{
      engine: "celery",
      name: "q",
      broker_type: null,
      broker_url_hint: "redis://r/0",
      depth: 12,
      paused: null
    }])
  })

  it("tells paused queues from running ones, where the agent can see pauses", () => {
    const pausesOf = (paused: string) =>
      readAdapterHealth({ "bullmq.queue_depths": "{\"mail\":3,\"slow\":0}", "bullmq.paused_queues": paused })
        .queues.map(({ paused }) => paused)
    assert.deepStrictEqual(pausesOf("[\"slow\",7,\"unknown\"]"), [0, 1])
    assert.deepStrictEqual(pausesOf("[]"), [0, 0])
    for (const broken of ["{}", "null", "[", "\"slow\""]) assert.deepStrictEqual(pausesOf(broken), [null, null])
  })

  it("takes the host of a worker whose name does not have it", () => {
    const { workers } = readAdapterHealth({
      "bullmq.worker_details": JSON.stringify({
        "shop:1": { stats: { hostname: "box" } },
        "w@there": { stats: { hostname: "box" } },
        w3: {}
      })
    })
    assert.deepStrictEqual(workers.map(({ hostname, name }) => [name, hostname]), [["shop:1", "box"], [
      "w@there",
      "there"
    ], ["w3", null]])
  })

  it("keeps no credentials of a worker's configuration, under whatever name they come", () => {
    const conf = {
      broker_read: "redis://:hunter2@redis:6379/0",
      result_backend: "db+postgresql://celery:hunter2@db/results",
      broker_failover: "amqp://hunter2@rabbit//;amqp://u:hunter2@other//",
      mail_pin: "hunter2",
      security: "password=hunter2",
      broker_transport: "redis"
    }
    const { queues, workers } = celery({
      "celery@web": {
        conf,
        stats: {
          pool: { implementation: "https://u:hunter2@h/" },
          broker: { hostname: "u:hunter2@rabbit", transport: "amqp", port: 5672 }
        },
        active_queues: [{ name: "celery" }]
      }
    })
    assert.notInclude(JSON.stringify([queues, workers]), "hunter2")
    assert.deepInclude(workers[0]?.metadata.conf, {
      broker_transport: "redis",
      result_backend: "db+postgresql://***@db/results"
    })
    assert.strictEqual(queues[0]?.broker_url_hint, "amqp://***@rabbit:5672/")
  })
})
