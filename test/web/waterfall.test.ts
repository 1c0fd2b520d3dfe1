import { assert, describe, it } from "vitest"
import { layOutWaterfall, type Waterfall } from "../../web/src/tasks/waterfall.ts"

type Node = Parameters<typeof layOutWaterfall>[0]["nodes"][number]

const noon = Date.parse("2026-11-24T12:00:00Z")
const at = (seconds: number) => new Date(noon + seconds * 1000).toISOString()

/** A task that starts when it is received; times in seconds after noon. */
const node = (
  task_id: string,
  parent: string | null,
  from: number,
  to: number | null,
  more: Partial<Node> = {}
): Node => ({
  engine: "celery",
  task_id,
  name: task_id,
  state: to === null ? "started" : "success",
  parent_task_id: parent,
  root_task_id: "order",
  received_at: at(from),
  started_at: at(from),
  finished_at: to === null ? null : at(to),
  ...more
})

const layOut = (
  nodes: ReadonlyArray<Node>,
  { isOpen = [], now = 60, own = "order" }: {
    readonly isOpen?: ReadonlyArray<readonly [string, boolean]>
    readonly now?: number
    readonly own?: string
  } = {}
) =>
  layOutWaterfall({ nodes, own: { engine: "celery", task_id: own }, isOpen: new Map(isOpen), now: noon + now * 1000 })

const shown = ({ rows }: Waterfall) =>
  rows.map((row) => `${"  ".repeat(row.depth)}${row.kind === "task" ? row.node.task_id : `${row.name} ×${row.count}`}`)

/** The path from its end to its beginning: who, and from and to in seconds. */
const pathOf = ({ rows }: Waterfall) =>
  rows.flatMap((row) =>
    row.sections.map(({ from, to }) =>
      [row.kind === "task" ? row.node.task_id : row.name, (from - noon) / 1000, (to - noon) / 1000] as const
    )
  ).sort(([, a], [, b]) => b - a)

const charges = (count: number, more: (index: number) => Partial<Node> = () => ({})) =>
  Array.from(
    { length: count },
    (_, index) => node(`charge-${index}`, "order", index, index + 1, { name: "charge", ...more(index) })
  )

describe("the waterfall of a tree", () => {
  it("has each task below the one that started it, oldest first, and the scale of all", () => {
    const waterfall = layOut([
      node("order", null, 0, 2),
      node("pack", "order", 1, 9),
      node("label", "pack", 2, 3),
      node("mail", "order", 4, 5)
    ])
    assert.deepStrictEqual(shown(waterfall), ["order", "  pack", "    label", "  mail"])
    assert.deepInclude(waterfall, { from: noon, to: noon + 9000 })
    assert.deepStrictEqual(waterfall.ticks, [0, 2000, 4000, 6000, 8000])
    assert.deepStrictEqual(waterfall.rows.map(({ isExpanded }) => isExpanded), [true, true, null, null])
    assert.deepStrictEqual(waterfall.rows.map(({ parentKey }) => parentKey), [
      null,
      "celery order",
      "celery pack",
      "celery order"
    ])
  })

  it("draws each attempt with its own state and exception, and names the last exception", () => {
    const attempt = { number: 1, runtime_ms: 1000, worker_name: null }
    const { rows: [row] } = layOut([
      node("order", null, 0, 5, {
        attempt_list: [
          { ...attempt, state: "failure", started_at: at(0), finished_at: at(1), exception: "CardDeclined" },
          { ...attempt, state: "success", started_at: at(4), finished_at: at(5), exception: null }
        ]
      })
    ])
    assert.deepInclude(row, { attempts: 2, exception: "CardDeclined", isCritical: false })
    assert.deepStrictEqual(
      row?.spans.map((span) => span.kind === "attempt" ? [span.state, span.exception] : span.kind),
      ["queue", ["failure", "CardDeclined"], "gap", ["success", null]]
    )
  })

  it("collapses four and more tasks of one name below one parent, and opens them on demand", () => {
    const nodes = [
      node("order", null, 0, 2),
      ...charges(400, (index) => index === 7 ? { state: "failure" } : {}),
      ...[1, 2, 3].map((index) => node(`mail-${index}`, "order", index, 5, { name: "mail" }))
    ]
    const closed = layOut(nodes)
    assert.deepStrictEqual(shown(closed), ["order", "  charge ×400", "  mail-1", "  mail-2", "  mail-3"])
    const [, group] = closed.rows
    assert.isTrue(group?.kind === "group" && group.states.get("success") === 399 && group.states.get("failure") === 1)
    // those that follow one another are one span, and the failure lies above it
    assert.deepStrictEqual(
      group?.spans.map((span) => [span.kind === "attempt" ? span.state : span.kind, (span.to - span.from) / 1000])
        .filter(([kind]) => kind !== "queue"),
      [["success", 7], ["success", 392], ["failure", 1]]
    )
    const opened = layOut(nodes, { isOpen: [[group?.key ?? "", true]] })
    assert.strictEqual(opened.rows.length, 405)
    assert.deepStrictEqual(shown(opened).slice(0, 4), ["order", "  charge ×400", "    charge-0", "    charge-1"])
  })

  it("opens the group of the page's own task, unless the person closed it", () => {
    const nodes = [node("order", null, 0, 2), ...charges(4)]
    assert.strictEqual(layOut(nodes, { own: "charge-2" }).rows.length, 6)
    const isOpen = [["celery order × charge", false]] as const
    assert.strictEqual(layOut(nodes, { own: "charge-2", isOpen }).rows.length, 2)
    assert.deepStrictEqual(shown(layOut(nodes, { isOpen: [["celery order", false]] })), ["order"])
  })

  it("marks what the last end waited for, from the end back to the beginning", () => {
    const waterfall = layOut([
      node("order", null, 0, 10),
      node("reserve", "order", 1, 4),
      node("quick", "order", 1, 2),
      node("charge", "order", 5, 9),
      node("bank", "charge", 6, 8)
    ])
    assert.deepStrictEqual(pathOf(waterfall), [
      ["order", 9, 10],
      ["charge", 8, 9],
      ["bank", 6, 8],
      ["charge", 5, 6],
      ["order", 4, 5],
      ["reserve", 1, 4],
      ["order", 0, 1]
    ])
    assert.deepStrictEqual(waterfall.rows.map(({ isCritical }) => isCritical), [true, true, false, true, true])
  })

  it("marks a child that ends after its parent, up to now while it runs, and the group that holds it", () => {
    const running = layOut([node("order", null, 0, 2), node("mail", "order", 1, null)], { now: 7 })
    assert.deepStrictEqual(pathOf(running), [["mail", 1, 7], ["order", 0, 1]])
    const closed = layOut([node("order", null, 0, 2), ...charges(5), node("bank", "charge-4", 5, 8)])
    assert.isTrue(closed.rows[1]?.isCritical)
    assert.deepStrictEqual(pathOf(closed).map(([name, from, to]) => `${name} ${from}–${to}`), [
      "charge 5–8",
      "charge 4–5",
      "charge 3–4",
      "charge 2–3",
      "charge 1–2",
      "charge 0–1"
    ])
  })

  it("shows tasks without times, without their parent, and those in a circle, each once", () => {
    const waiting = { received_at: null, started_at: null, finished_at: null, state: "pending" } as const
    const empty = layOut([node("order", null, 0, 0, waiting)], { now: 3 })
    assert.deepInclude(empty, { from: noon + 3000, to: noon + 3000 })
    assert.deepStrictEqual(empty.rows[0]?.spans, [])
    const waterfall = layOut([
      node("a", "b", 0, 1),
      node("b", "a", 1, 2),
      node("lost", "gone", 3, 4),
      node("self", "self", 5, 6)
    ])
    assert.deepStrictEqual(shown(waterfall), ["lost", "a", "  b", "self"])
  })
})
