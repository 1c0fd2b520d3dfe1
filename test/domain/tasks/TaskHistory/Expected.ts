/** What the recorded streams mean, written by hand from reading them. Times are of 2026-11-21. */
import type { TaskFields } from "../../../../src/domain/tasks/TaskHistory.ts"
import { timestamp } from "./Recorded.ts"

export interface Expected {
  readonly sequence: string
  /** How the task's id begins. */
  readonly task: string
  readonly fields: Partial<TaskFields>
}

const at = (time: string) => timestamp(`2026-11-21T${time}Z`)

const row = (sequence: string, task: string, fields: Partial<TaskFields>): Expected => ({ sequence, task, fields })

/** Received, started, finished; null where the stream does not say. The start is the end minus a reported runtime. */
const times = (received: string | null, started: string | null, finished: string | null): Partial<TaskFields> => ({
  received_at: received === null ? null : at(received),
  started_at: started === null ? null : at(started),
  finished_at: finished === null ? null : at(finished)
})

const success = { state: "success", retry_count: 0, exception: null, traceback: null } as const
const failure = { state: "failure", result: null } as const
const received = { state: "received", result: null, exception: null, worker_name: null, runtime_ms: null } as const

const noArgs = { args: null, kwargs: null, queue: null, worker_name: null, result: null } as const

const arq: ReadonlyArray<Expected> = [
  row("arq", "57079dfb", {
    ...success,
    ...noArgs,
    name: "aadd",
    ...times(null, "06:54:42.609464", "06:54:42.611094"),
    runtime_ms: 2
  }),
  row("arq", "19ca8401", {
    ...noArgs,
    state: "success",
    retry_count: 1,
    name: "aretry",
    ...times(null, "06:54:44.112255", "06:54:44.113542"),
    first_event_at: at("06:54:42.611528")
  }),
  row("arq", "dc2fdd37", {
    ...failure,
    ...noArgs,
    retry_count: 0,
    name: "afail",
    exception: null,
    ...times(null, "06:54:42.612364", "06:54:42.615588")
  }),
  row("arq", "67d1283e", { ...success, name: "aadd", ...times(null, "06:54:50.629008", "06:54:50.630770") }),
  row("arq", "a59e4b03", { ...success, name: "aadd", ...times(null, "06:54:50.631211", "06:54:50.632239") }),
  row("arq", "919b6245", { ...success, name: "aadd", ...times(null, "06:54:50.632754", "06:54:50.633459") })
]

const dramatiqBase = { queue: "default", worker_name: "host-a@21130", args: null, kwargs: null, result: null } as const

const dramatiq: ReadonlyArray<Expected> = [
  row("dramatiq", "19a5bac1", {
    ...success,
    ...dramatiqBase,
    name: "dadd",
    ...times("06:53:50.385000", "06:53:50.396053", "06:53:50.398782")
  }),
  row("dramatiq", "0e74922d", {
    ...failure,
    ...dramatiqBase,
    name: "dfail",
    retry_count: 1,
    exception: "ValueError: dboom token=abc",
    ...times("06:53:50.390000", "06:53:51.909656", "06:53:51.911522")
  }),
  row("dramatiq", "214069c1", {
    ...success,
    ...dramatiqBase,
    name: "dadd",
    ...times("06:53:58.015000", "06:53:58.380751", "06:53:58.381727")
  }),
  row("dramatiq", "15697be6", {
    ...success,
    ...dramatiqBase,
    name: "dadd",
    ...times("06:53:58.018000", "06:53:58.382265", "06:53:58.382964")
  }),
  row("dramatiq", "0c225f18", {
    ...success,
    ...dramatiqBase,
    name: "dadd",
    ...times("06:53:58.026000", "06:53:58.388443", "06:53:58.389385")
  })
]

const rqBase = {
  queue: "default",
  worker_name: "rqw1",
  args: null,
  kwargs: null,
  result: null,
  received_at: null
} as const

const rq: ReadonlyArray<Expected> = [
  row("rq", "7956ca45", {
    ...success,
    ...rqBase,
    name: "rqtasks.add",
    ...times(null, "06:53:25.727280", "06:53:25.740574"),
    runtime_ms: 13
  }),
  // Failed, then requeued twice under its id, the first time without an end: no retry of the engine.
  row("rq", "35432c62", {
    ...failure,
    ...rqBase,
    name: "rqtasks.fail",
    retry_count: 0,
    exception: "ValueError: rboom",
    ...times(null, "06:53:31.924825", "06:53:31.937945"),
    first_event_at: at("06:53:31.881372")
  }),
  row("rq", "7ca7a0ad", { ...success, ...rqBase, ...times(null, "06:53:31.857135", "06:53:31.876152") }),
  row("rq", "90bf7358", { ...success, ...rqBase, ...times(null, "06:53:31.906067", "06:53:31.919293") }),
  row("rq", "05d49711", { ...success, ...rqBase, ...times(null, "06:53:31.940435", "06:53:31.954656") })
]

const huey: ReadonlyArray<Expected> = [
  row("huey", "30f910ca", {
    ...success,
    name: "hadd",
    queue: null,
    worker_name: null,
    args: "[1]",
    kwargs: "{\"b\":2,\"password\":\"[REDACTED]\"}",
    ...times("06:54:16.449354", "06:54:16.454569", "06:54:16.455865")
  }),
  row("huey", "f62d4e2e", {
    ...failure,
    name: "hfail",
    retry_count: 1,
    args: "[\"hboom\"]",
    exception: "ValueError: hboom",
    ...times("06:54:16.454287", "06:54:18.447688", "06:54:18.448245")
  }),
  // Scheduled: received when put off and again when due.
  row("huey", "a3f76fd1", {
    ...received,
    name: "hadd",
    retry_count: 0,
    args: "[5]",
    ...times("06:54:16.455057", null, null)
  }),
  row("huey", "6de1b123", {
    ...success,
    args: "[3,4]",
    ...times("06:54:24.091127", "06:54:24.093568", "06:54:24.096137")
  }),
  row("huey", "89ee2846", { ...received, args: "[3]", kwargs: "{\"b\":4}", ...times("06:54:24.092430", null, null) }),
  row("huey", "2a44ea65", {
    ...success,
    args: "[9]",
    ...times("06:54:24.093062", "06:54:24.097098", "06:54:24.098265")
  }),
  row("huey", "ae8d9ce0", {
    ...success,
    args: "[6]",
    ...times("06:54:24.097516", "06:54:24.102142", "06:54:24.102612"),
    runtime_ms: 0
  }),
  row("huey-longpoll", "526791ef", {
    ...received,
    name: "madd",
    args: "[1]",
    kwargs: "{}",
    ...times("06:59:33.704874", null, null)
  })
]

const taskiq: ReadonlyArray<Expected> = [
  row("taskiq", "dcba167b", {
    ...success,
    name: "tq.add",
    args: "[1]",
    ...times("06:55:09.000122", "06:55:09.003687", "06:55:09.003845"),
    runtime_ms: 0
  }),
  row("taskiq", "d8cd7399", {
    ...failure,
    name: "tq.fail",
    retry_count: 0,
    exception: "ValueError: tboom",
    ...times("06:55:09.004926", "06:55:09.006998", "06:55:09.007837")
  }),
  row("taskiq", "44065ee3", {
    ...failure,
    name: "tq.retry",
    retry_count: 1,
    exception: "KeyError: 'z'",
    ...times("06:55:09.005804", "06:55:09.013908", "06:55:09.014549")
  }),
  row("taskiq", "1331ea8f", { ...received, name: "tq.add", args: "[3,4]", ...times("06:55:16.423909", null, null) }),
  row("taskiq", "dacc8563", { ...received, args: "[9]", kwargs: "{\"b\":1}", ...times("06:55:16.429189", null, null) }),
  row("taskiq", "9ac6f760", { ...received, args: "[6]", ...times("06:55:16.437514", null, null) })
]

const WITH_E = "celery-prefork-with-E"
const w3 = { queue: "celery", worker_name: "w3@host-a", root_task_id: null, parent_task_id: null } as const

const celeryWithE: ReadonlyArray<Expected> = [
  row(WITH_E, "8f4fa933", {
    ...success,
    ...w3,
    name: "capp.add",
    args: "[2,3]",
    kwargs: "{}",
    result: "\"5\"",
    runtime_ms: 14,
    ...times("06:56:27.747804", "06:56:27.755769", "06:56:27.769769")
  }),
  row(WITH_E, "b726b41c", {
    ...failure,
    ...w3,
    name: "capp.fail",
    retry_count: 0,
    exception: "ValueError: [REDACTED]",
    traceback: "[REDACTED]",
    ...times("06:56:27.750046", "06:56:27.772689", "06:56:27.779073")
  }),
  row(WITH_E, "cf94acc6", {
    ...failure,
    ...w3,
    name: "capp.retry",
    retry_count: 1,
    exception: "KeyError('x')",
    ...times("06:56:27.753898", "06:56:28.786021", "06:56:28.790909")
  }),
  row(WITH_E, "6438296d", {
    ...success,
    ...w3,
    name: "capp.secret",
    args: "[\"bob\"]",
    runtime_ms: 1,
    ...times("06:56:27.764542", "06:56:27.801417", "06:56:27.802417")
  }),
  row(WITH_E, "a862878e", {
    ...success,
    ...w3,
    result: "\"3\"",
    runtime_ms: 4,
    ...times("06:56:27.768615", "06:56:27.802621", "06:56:27.806621")
  }),
  row(WITH_E, "eb4b9e69", {
    ...success,
    ...w3,
    result: "\"1e+22\"",
    runtime_ms: 3,
    ...times("06:56:27.774509", "06:56:27.810933", "06:56:27.813933")
  }),
  row(WITH_E, "ebdd4cf4", {
    ...success,
    ...w3,
    kwargs: "{\"b\":6}",
    runtime_ms: 2,
    ...times("06:56:27.783601", "06:56:29.753580", "06:56:29.755580")
  }),
  row(WITH_E, "16f92549", {
    ...success,
    ...w3,
    args: "[3,10]",
    result: "\"13\"",
    runtime_ms: 0,
    parent_task_id: "a862878e-9515-484e-8944-596384fa2a42",
    root_task_id: "a862878e-9515-484e-8944-596384fa2a42",
    ...times("06:56:27.803184", "06:56:27.818649", "06:56:27.818649")
  }),
  row(WITH_E, "47e1ef06", {
    ...w3,
    name: "capp.sleep",
    state: "revoked",
    retry_count: 0,
    exception: null,
    ...times("06:56:33.371172", "06:56:33.375846", "06:56:35.390786")
  }),
  row(WITH_E, "cda93aba", {
    ...w3,
    name: "capp.add",
    state: "revoked",
    retry_count: 0,
    runtime_ms: null,
    ...times("06:56:33.373471", null, "06:56:35.545442")
  })
]

const WITHOUT_E = "celery-prefork-without-E"
const waiting = { ...received, queue: "celery", retry_count: 0, parent_task_id: null, root_task_id: null } as const

const celeryWithoutE: ReadonlyArray<Expected> = [
  row(WITHOUT_E, "dc630f64", { ...waiting, name: "capp.add", args: "[2,3]", ...times("06:49:01.065728", null, null) }),
  row(WITHOUT_E, "a345f061", {
    ...waiting,
    name: "capp.fail",
    args: "[\"[REDACTED]\"]",
    ...times("06:49:01.070383", null, null)
  }),
  row(WITHOUT_E, "39280bc4", {
    ...waiting,
    name: "capp.retry",
    retry_count: 1,
    ...times("06:49:01.071346", null, null)
  }),
  row(WITHOUT_E, "f83e21a9", { ...waiting, name: "capp.secret", ...times("06:49:01.076400", null, null) }),
  row(WITHOUT_E, "62823d54", { ...waiting, args: "[1,2]", ...times("06:49:01.077263", null, null) }),
  row(WITHOUT_E, "008b1a72", { ...waiting, ...times("06:49:01.080738", null, null) }),
  row(WITHOUT_E, "402caad1", { ...waiting, kwargs: "{\"b\":6}", ...times("06:49:01.088704", null, null) }),
  row(WITHOUT_E, "50e7528d", {
    ...waiting,
    parent_task_id: "62823d54-98aa-466c-9a33-b1b68e105eb1",
    root_task_id: "62823d54-98aa-466c-9a33-b1b68e105eb1",
    ...times("06:49:01.108718", null, null)
  }),
  row(WITHOUT_E, "7c5c54d7", {
    name: "capp.sleep",
    queue: "celery",
    state: "revoked",
    worker_name: null,
    ...times("06:49:07.597184", null, "06:49:09.610845")
  }),
  row(WITHOUT_E, "d9819dfc", {
    name: "capp.add",
    queue: "celery",
    state: "revoked",
    worker_name: null,
    ...times("06:49:07.598969", null, "06:49:14.447364")
  })
]

const SOLO = "celery-solo"
const w1 = { queue: "celery", worker_name: "w1@host-a", root_task_id: null, parent_task_id: null } as const

const celerySolo: ReadonlyArray<Expected> = [
  row(SOLO, "cac2e41e", {
    ...success,
    ...w1,
    name: "capp.add",
    args: "[2,3]",
    kwargs: "{}",
    result: "5",
    runtime_ms: 1,
    ...times("06:46:26.088698", "06:46:26.089084", "06:46:26.090084")
  }),
  row(SOLO, "8e71cce1", {
    ...failure,
    ...w1,
    name: "capp.fail",
    retry_count: 0,
    exception: "ValueError: [REDACTED]",
    traceback: "[REDACTED]",
    runtime_ms: 17,
    ...times("06:46:26.101335", "06:46:26.101752", "06:46:26.118697")
  }),
  row(SOLO, "f90a4cc5", {
    ...failure,
    ...w1,
    name: "capp.retry",
    retry_count: 1,
    exception: "KeyError: 'x'",
    runtime_ms: 2,
    ...times("06:46:26.130548", "06:46:27.133296", "06:46:27.135669")
  }),
  row(SOLO, "54494803", {
    ...success,
    ...w1,
    name: "capp.secret",
    runtime_ms: 5,
    ...times("06:46:26.194260", "06:46:26.195085", "06:46:26.200085")
  }),
  row(SOLO, "82f9ca2d", {
    ...success,
    ...w1,
    result: "3",
    runtime_ms: 3,
    ...times("06:46:26.213571", "06:46:26.214271", "06:46:26.217271")
  }),
  row(SOLO, "9aea230e", {
    ...success,
    ...w1,
    runtime_ms: 0,
    ...times("06:46:26.220373", "06:46:26.221244", "06:46:26.221244")
  }),
  row(SOLO, "86889514", {
    ...success,
    ...w1,
    result: "13",
    runtime_ms: 0,
    parent_task_id: "82f9ca2d-6650-4dad-a74f-74d3d22f70ef",
    root_task_id: "82f9ca2d-6650-4dad-a74f-74d3d22f70ef",
    ...times("06:46:26.225673", "06:46:26.226793", "06:46:26.226793")
  }),
  row(SOLO, "5062dc2b", {
    ...success,
    ...w1,
    result: "11",
    runtime_ms: 1,
    ...times("06:46:26.228971", "06:46:28.099129", "06:46:28.100129")
  }),
  // The first of 51 tasks of a foreign worker: seen on the broker only.
  row(SOLO, "7bd608e6", {
    ...success,
    name: "<unknown:7bd608e6>",
    queue: null,
    args: null,
    worker_name: "w1@host-a",
    result: "\"0\"",
    runtime_ms: 17,
    ...times(null, "06:48:11.960714", "06:48:11.977714")
  })
]

/** Each with what Celery's own events say of it: its state and the retries that its last message carries. */
const recordedBesideCelery: ReadonlyArray<Expected> = [
  row("celery-busy", "f04a91e8", { name: "shop.lost", state: "failure", retry_count: 0 }),
  row("celery-busy", "da8d700f", { name: "shop.lost", state: "failure", retry_count: 0 }),
  row("celery-busy", "e9dac3a3", { name: "shop.rejecting", state: "failure", retry_count: 0 }),
  row("celery-busy", "1605d082", { name: "shop.rejecting", state: "failure", retry_count: 0 }),
  row("celery-busy", "aa95aa1d", { name: "shop.rejecting", state: "failure", retry_count: 0 }),
  row("celery-busy", "71b37cf9", { name: "shop.rejecting", state: "failure", retry_count: 0 }),
  row("celery-busy", "4e945f6e", { name: "shop.ignoring", state: "started", retry_count: 0 }),
  row("celery-busy", "d5bec3e5", { name: "shop.add", state: "success", retry_count: 0 }),
  row("celery-busy", "8ea42605", { name: "shop.add", state: "success", retry_count: 0 }),
  row("celery-busy", "727c5dde", { name: "shop.flaky", state: "success", retry_count: 2 }),
  row("celery-busy", "2d01ad5b", { name: "shop.flaky", state: "success", retry_count: 2 }),
  row("celery-busy", "25865f68", { name: "shop.flaky", state: "failure", retry_count: 3 }),
  row("celery-two-workers", "49385b2b", { name: "shop.lost", state: "failure", retry_count: 0 }),
  row("celery-two-workers", "3bbf32cf", { name: "shop.lost", state: "failure", retry_count: 0 }),
  row("celery-two-workers", "3a4babbc", { name: "shop.lost", state: "failure", retry_count: 0 }),
  row("celery-two-workers", "276b5be6", { name: "shop.flaky", state: "success", retry_count: 2 }),
  row("celery-two-workers", "1f114802", { name: "shop.flaky", state: "success", retry_count: 2 }),
  row("celery-two-workers", "244c0821", { name: "shop.flaky", state: "success", retry_count: 2 }),
  row("celery-two-workers", "5ca6a2f9", { name: "shop.flaky", state: "success", retry_count: 2 }),
  row("celery-two-workers", "6a88115c", { name: "shop.rejecting", state: "failure", retry_count: 0 }),
  row("celery-two-workers", "a4acc7e2", { name: "shop.rejecting", state: "failure", retry_count: 0 }),
  row("celery-two-workers", "d5c7825a", { name: "shop.rejecting", state: "failure", retry_count: 0 }),
  row("celery-two-workers", "8d7e7e58", { name: "shop.flaky", state: "success", retry_count: 1 }),
  row("celery-two-workers", "259502a3", { name: "shop.flaky", state: "success", retry_count: 1 }),
  row("celery-two-workers", "785f46e3", { name: "shop.add", state: "success", retry_count: 0 }),
  row("celery-two-workers", "e5d5abae", { name: "shop.add", state: "success", retry_count: 0 }),
  row("celery-two-workers", "f41b6024", { name: "shop.flaky", state: "failure", retry_count: 3 }),
  row("celery-two-workers", "1e837995", { name: "shop.flaky", state: "failure", retry_count: 3 }),
  row("celery-two-workers-rabbitmq", "4b5a681c", { name: "shop.flaky", state: "success", retry_count: 2 }),
  row("celery-two-workers-rabbitmq", "23b94cb3", { name: "shop.flaky", state: "success", retry_count: 2 }),
  row("celery-two-workers-rabbitmq", "90acebaf", { name: "shop.flaky", state: "success", retry_count: 2 }),
  row("celery-two-workers-rabbitmq", "69c8c4ad", { name: "shop.flaky", state: "success", retry_count: 1 }),
  row("celery-two-workers-rabbitmq", "6fa837ac", { name: "shop.flaky", state: "success", retry_count: 1 }),
  row("celery-two-workers-rabbitmq", "baf764f7", { name: "shop.add", state: "success", retry_count: 0 }),
  row("celery-two-workers-rabbitmq", "d85d22cf", { name: "shop.flaky", state: "failure", retry_count: 3 })
]

export const expected: ReadonlyArray<Expected> = [
  ...arq,
  ...dramatiq,
  ...rq,
  ...huey,
  ...taskiq,
  ...celeryWithE,
  ...celeryWithoutE,
  ...celerySolo,
  ...recordedBesideCelery
]
