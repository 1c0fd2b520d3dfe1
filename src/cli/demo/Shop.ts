import { Clock, Data, Effect, FiberRef, HashSet, Logger, LogLevel, Schema, type Scope } from "effect"
import * as EffectQueue from "../../agent/engines/effect-queue/EffectQueue.ts"

/** Names and payloads of the shop's tasks. */
const tasks = {
  placeOrder: Schema.TaggedStruct("checkout.place_order", {
    order: Schema.Int,
    customer: Schema.Int,
    articles: Schema.Int,
    total: Schema.Number
  }),
  charge: Schema.TaggedStruct("payment.charge", {
    order: Schema.Int,
    customer: Schema.Int,
    total: Schema.Number,
    placed_at: Schema.Int
  }),
  confirm: Schema.TaggedStruct("mail.order_confirmation", { order: Schema.Int, customer: Schema.Int }),
  sendInvoice: Schema.TaggedStruct("mail.invoice", { order: Schema.Int, customer: Schema.Int, file: Schema.String }),
  renderInvoice: Schema.TaggedStruct("invoice.render_pdf", { order: Schema.Int, customer: Schema.Int }),
  reserve: Schema.TaggedStruct("stock.reserve", { order: Schema.Int, articles: Schema.Int }),
  sync: Schema.TaggedStruct("stock.sync_warehouse", { warehouse: Schema.String, articles: Schema.Int }),
  nightly: Schema.TaggedStruct("report.nightly_sales", { day: Schema.String }),
  region: Schema.TaggedStruct("report.sales_of_region", { day: Schema.String, region: Schema.String })
} as const

const schemas = {
  orders: tasks.placeOrder,
  payments: tasks.charge,
  mail: Schema.Union(tasks.confirm, tasks.sendInvoice),
  documents: tasks.renderInvoice,
  stock: Schema.Union(tasks.reserve, tasks.sync),
  reports: Schema.Union(tasks.nightly, tasks.region)
} as const

export type QueueName = keyof typeof schemas
export type Task = { readonly [Name in QueueName]: typeof schemas[Name]["Type"] }[QueueName]

export const queueOf = ({ _tag }: Task): QueueName => queues[_tag]

const queues: Readonly<Record<Task["_tag"], QueueName>> = {
  "checkout.place_order": "orders",
  "payment.charge": "payments",
  "mail.order_confirmation": "mail",
  "mail.invoice": "mail",
  "invoice.render_pdf": "documents",
  "stock.reserve": "stock",
  "stock.sync_warehouse": "stock",
  "report.nightly_sales": "reports",
  "report.sales_of_region": "reports"
}

/** Also the workers' names. */
export const concurrency: Readonly<Record<QueueName, number>> = {
  orders: 2,
  payments: 2,
  mail: 3,
  documents: 2,
  stock: 3,
  reports: 2
}
export const maxAttempts = 3
export const regions = ["north", "south", "east", "west"] as const
export const warehouses = ["Hamburg", "Lyon", "Porto"] as const

/** A deterministic number in [0, 1) for an order and a kind of chance, the same in the history and in the running shop. */
export const pseudoRandom = (order: number, kind: number): number => {
  let mixed = Math.imul(order + 1, 0x9e3779b1) ^ Math.imul(kind + 1, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
}

export const orderOf = (order: number) =>
  ({
    _tag: "checkout.place_order",
    order,
    customer: 1000 + Math.floor(pseudoRandom(order, 1) * 4000),
    articles: 1 + Math.floor(pseudoRandom(order, 2) * 5),
    total: Math.round(1900 + pseudoRandom(order, 3) * 18_000) / 100
  }) as const satisfies Task

export const syncOf = (run: number) =>
  ({
    _tag: "stock.sync_warehouse",
    warehouse: warehouses[run % warehouses.length] ?? "Hamburg",
    articles: 400 + Math.floor(pseudoRandom(run, 4) * 900)
  }) as const satisfies Task

const hourMillis = 3_600_000

/** Orders a minute at a time of day (UTC): fewest at night, most in the evening. The same in the history and in the shop. */
export const ordersPerMinute = (millis: number): number =>
  1.5 + 1.5 * Math.max(0, Math.sin((((millis / hourMillis) % 24 - 7) / 16) * Math.PI))

/** The running shop's pause before an order. */
export const millisBefore = (order: number, millis: number): number =>
  Math.round((60_000 / ordersPerMinute(millis)) * (0.5 + pseudoRandom(order, 23)))

/** The shop itself compares a warehouse so often. */
export const syncSeconds = 60
/** And so often with the comparisons of the schedule `warehouse sync`, every 2 minutes (Schedules.ts). */
export const allSyncsSeconds = 40

/** An attempt at a task: its duration, and its error if it fails. */
export interface AttemptPlan {
  readonly seconds: number
  readonly error: { readonly name: string; readonly message: string } | null
}

/** The bank declines a payment for this long after its order. */
export const declinedSeconds = 20

const planSuccess = (seconds: number): AttemptPlan => ({ seconds, error: null })
const planFailure = (seconds: number, name: string, message: string): AttemptPlan => ({
  seconds,
  error: { name, message }
})

/** `hasWaited`: the order is older than `declinedSeconds`, so the bank accepts the payment. */
export const planAttempt = (task: Task, attempt: number, hasWaited: boolean): AttemptPlan => {
  switch (task._tag) {
    case "checkout.place_order":
      return planSuccess(0.15 + pseudoRandom(task.order, 5) * 0.4)
    case "payment.charge":
      if (pseudoRandom(task.order, 6) < 0.12 && !hasWaited) {
        return planFailure(
          0.8,
          "CardDeclined",
          `the bank declined the charge of order ${task.order}: insufficient funds`
        )
      }
      if (pseudoRandom(task.order, 7) < 0.12 && attempt === 1) {
        return planFailure(2, "GatewayTimeout", "the payment gateway did not answer within 2 seconds")
      }
      return planSuccess(0.3 + pseudoRandom(task.order, 8) * 1.2)
    case "mail.order_confirmation":
      if (pseudoRandom(task.order, 9) < 0.08 && attempt < 3) {
        return planFailure(0.5, "SmtpBusy", "421 too many connections, try again later")
      }
      return planSuccess(0.1 + pseudoRandom(task.order, 10) * 0.3)
    case "mail.invoice":
      return planSuccess(0.1 + pseudoRandom(task.order, 11) * 0.3)
    case "invoice.render_pdf":
      if (pseudoRandom(task.order, 12) < 0.05) {
        return planFailure(0.1, "FontMissing", "the font Inter Tight is not installed on this machine")
      }
      return planSuccess(1 + pseudoRandom(task.order, 13) * 3)
    case "stock.reserve":
      return planSuccess(0.1 + pseudoRandom(task.order, 14) * 0.2)
    case "stock.sync_warehouse":
      return planSuccess(25 + (task.articles % 20))
    case "report.nightly_sales":
      return planSuccess(1.5)
    case "report.sales_of_region":
      return planSuccess(4 + task.region.length)
  }
}

/** The result of a task. */
export const resultOf = (task: Task) => {
  switch (task._tag) {
    case "checkout.place_order":
      return { order: task.order, status: "placed" }
    case "payment.charge":
      return { order: task.order, charged: task.total, currency: "EUR" }
    case "stock.sync_warehouse":
      return { warehouse: task.warehouse, checked: task.articles, corrected: task.articles % 7 }
    case "report.sales_of_region":
      return { region: task.region, orders: 80 + Math.floor(pseudoRandom(task.region.length, 15) * 200) }
    default:
      return null
  }
}

/** The tasks that a succeeded task starts. */
export const followUpsOf = (task: Task, epochSeconds: number): ReadonlyArray<Task> => {
  switch (task._tag) {
    case "checkout.place_order": {
      const { articles, customer, order, total } = task
      return [{ _tag: "stock.reserve", order, articles }, {
        _tag: "payment.charge",
        order,
        customer,
        total,
        placed_at: epochSeconds
      }]
    }
    case "payment.charge": {
      const { customer, order } = task
      return [{ _tag: "mail.order_confirmation", order, customer }, { _tag: "invoice.render_pdf", order, customer }]
    }
    case "invoice.render_pdf":
      return [{ _tag: "mail.invoice", order: task.order, customer: task.customer, file: `invoice-${task.order}.pdf` }]
    case "report.nightly_sales":
      return regions.map((region) => ({ _tag: "report.sales_of_region", day: task.day, region }))
    default:
      return []
  }
}

/** The failure of a task. */
export class ShopError extends Data.Error<{ readonly message: string }> {
  constructor(readonly errorName: string, message: string) {
    super({ message })
    this.name = errorName
    // its place in this program says nothing about the shop, and the history has none
    this.stack = `${errorName}: ${message}`
  }
}

/** Opens the shop's queues until the scope closes. Returns their engine, `submit` for tasks, and `runWorkers`. */
export const openShop = Effect.gen(function*() {
  const shopQueues = {
    orders: yield* EffectQueue.make({ name: "orders", schema: schemas.orders, maxAttempts }),
    payments: yield* EffectQueue.make({ name: "payments", schema: schemas.payments, maxAttempts }),
    mail: yield* EffectQueue.make({ name: "mail", schema: schemas.mail, maxAttempts }),
    documents: yield* EffectQueue.make({ name: "documents", schema: schemas.documents, maxAttempts }),
    stock: yield* EffectQueue.make({ name: "stock", schema: schemas.stock, maxAttempts }),
    reports: yield* EffectQueue.make({ name: "reports", schema: schemas.reports, maxAttempts })
  }

  const submit = (task: Task) => {
    switch (task._tag) {
      case "checkout.place_order":
        return shopQueues.orders.offer(task)
      case "payment.charge":
        return shopQueues.payments.offer(task)
      case "mail.order_confirmation":
      case "mail.invoice":
        return shopQueues.mail.offer(task)
      case "invoice.render_pdf":
        return shopQueues.documents.offer(task)
      case "stock.reserve":
      case "stock.sync_warehouse":
        return shopQueues.stock.offer(task)
      case "report.nightly_sales":
      case "report.sales_of_region":
        return shopQueues.reports.offer(task)
    }
  }

  const programLoggers = yield* FiberRef.get(FiberRef.currentLoggers)

  const runTask = Effect.fnUntraced(function*(task: Task, { attempt }: EffectQueue.TaskInfo) {
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const patient = task._tag === "payment.charge" && now - task.placed_at > declinedSeconds
    const { error, seconds } = planAttempt(task, attempt, patient)
    yield* Effect.log(`${task._tag} begins`).pipe(Effect.annotateLogs("expected_ms", Math.round(seconds * 1000)))
    const steps = seconds < 2 ? 1 : 10
    for (let step = 1; step <= steps; step++) {
      yield* Effect.sleep(`${Math.round(seconds * 1000 / steps)} millis`)
      yield* EffectQueue.reportProgress({ done: step, total: steps })
    }
    if (error !== null) {
      yield* Effect.logError(`${error.name}: ${error.message}`)
      return yield* new ShopError(error.name, error.message)
    }
    yield* Effect.log("done")
    yield* Effect.forEach(followUpsOf(task, now), submit, { discard: true })
    return resultOf(task)
  })

  /** What a task logs is for the dashboard alone, whatever level the terminal shows. */
  const handle = (task: Task, info: EffectQueue.TaskInfo) =>
    runTask(task, info).pipe(
      Effect.locallyWith(FiberRef.currentLoggers, HashSet.difference(programLoggers)),
      Logger.withMinimumLogLevel(LogLevel.Info)
    )

  const runWorkers: Effect.Effect<void, never, Scope.Scope> = Effect.gen(function*() {
    const workers = [
      shopQueues.orders.run(handle, { concurrency: concurrency.orders, workerName: "orders" }),
      shopQueues.payments.run(handle, { concurrency: concurrency.payments, workerName: "payments" }),
      shopQueues.mail.run(handle, { concurrency: concurrency.mail, workerName: "mail" }),
      shopQueues.documents.run(handle, { concurrency: concurrency.documents, workerName: "documents" }),
      shopQueues.stock.run(handle, { concurrency: concurrency.stock, workerName: "stock" }),
      shopQueues.reports.run(handle, { concurrency: concurrency.reports, workerName: "reports" })
    ]
    for (const worker of workers) yield* Effect.forkScoped(worker)
  })

  return { engine: EffectQueue.engine(Object.values(shopQueues)), submit, runWorkers } as const
})
