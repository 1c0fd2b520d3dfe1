/**
 * The tasks of the scale bench, written by the database itself from their numbers: 10 000 000 rows from here would take
 * most of an hour. Both databases write the same rows.
 */

export const names = 300
export const queues = 20
export const workers = 40
/** Tasks are of the last 30 days. */
export const spanMillis = 30 * 86_400_000
/** Tasks that share a root, in a third of the groups of so many. */
const treeSize = 12

/** Nine of ten tasks are of the first project, the others of two more. */
export const projects = 3

const bits32 = 4_294_967_296n
/** Three permutations of the numbers below 2^32. */
const mixes = [[2_654_435_761n, 0n], [2_246_822_519n, 374_761_393n], [3_266_489_917n, 668_265_263n]] as const

const mixed = (number: number) =>
  mixes.map(([factor, offset]) => Number((BigInt(number) * factor + offset) % bits32)) as [number, number, number] // as many as `mixes`

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0")

export interface Seeding {
  readonly projectIds: ReadonlyArray<string>
  /** Unix milliseconds of the newest task. */
  readonly end: number
  readonly tasks: number
}

export interface Sample {
  readonly id: string
  readonly taskId: string
  readonly name: string
}

/** What of a task of the first project requests name. */
export const sampleOf = ({ end, tasks }: Seeding, count: number): Sample => {
  const number = count - (count % 10)
  const [a, b, c] = mixed(number)
  const millis = hex(end - spanMillis + Math.floor((spanMillis * number) / tasks), 12)
  return {
    id: `${millis.slice(0, 8)}-${millis.slice(8)}-7${hex(b % 4096, 3)}-8${hex(c % 4096, 3)}-${hex(a, 8)}${
      hex(c >>> 16, 4)
    }`,
    taskId: taskIdOf(number),
    name: nameOf(Math.floor(((b >>> 16) ** 2 * names) / 4_294_967_296))
  }
}

export const taskIdOf = (number: number): string => {
  const [a, b, c] = mixed(number)
  return `${hex(a, 8)}-${hex(b >>> 16, 4)}-4${hex(b % 4096, 3)}-8${hex(c >>> 20, 3)}-${hex(c, 8)}${hex(b % 65_536, 4)}`
}

export const nameOf = (index: number): string => `shop.module${index % 30}.task_${index}`

/** A number of a task that has a root and is not the root. */
export const numberInTree = (index: number): number => Math.floor(index / (treeSize * 3)) * treeSize * 3 + 2

/** SQL by which the dialects differ. */
export interface Spelling {
  readonly hex: (value: string, digits: number) => string
  readonly moment: (millis: string) => string
  readonly uuid: (text: string) => string
  /** A relation with the column `n`, from the parameter `from` up to but not with `until`. */
  readonly numbers: (from: number, until: number) => string
}

const columns = [
  "id",
  "project_id",
  "engine",
  "task_id",
  "name",
  "queue",
  "state",
  "priority",
  "args",
  "kwargs",
  "result",
  "exception",
  "traceback",
  "retry_count",
  "received_at",
  "started_at",
  "finished_at",
  "runtime_ms",
  "worker_name",
  "parent_task_id",
  "root_task_id",
  "tags",
  "first_event_at",
  "history",
  "revision",
  "created_at",
  "updated_at",
  "fingerprint"
]

const agent = "01900000-0000-7000-8000-00000000a6e7"
const frames = [120, 88, 41, 17].map((line) =>
  `  File "/srv/shop/tasks/module.py", line ${line}, in handle\n    return self.client.send(order, retries=3)\n`
).join("")

/** Inserts the tasks with these numbers: 94.5 % succeeded, 3 % failed, the rest in other states. */
export const insertSql = ({ end, projectIds, tasks }: Seeding, spelling: Spelling, from: number, until: number) => {
  const { hex, moment, numbers, uuid } = spelling
  const [first, second, third] = projectIds
  const taskIdSql = (a: string, b: string, c: string) =>
    `${hex(a, 8)} || '-' || ${hex(`${b} / 65536`, 4)} || '-4' || ${hex(`${b} % 4096`, 3)} || '-8' || ${
      hex(`${c} / 1048576`, 3)
    } || '-' || ${hex(c, 8)} || ${hex(`${b} % 65536`, 4)}`
  const mixSql = (number: string) =>
    mixes.map(([factor, offset]) => `((${number}) * ${factor} + ${offset}) % ${bits32}`)
  const [a, b, c] = mixSql("n") as [string, string, string] // as many as `mixes`
  const [rootA, rootB, rootC] = mixSql(`n - n % ${treeSize}`) as [string, string, string] // as many as `mixes`
  const event = (place: number, kind: number, at: string) =>
    `'"' || ${hex("b", 8)} || '-000${place}-4' || ${hex("c % 4096", 3)} || '-8000-' || ${
      hex("a", 12)
    } || '",${kind},"' || ${at} || '",0,1,2,0,""'`
  return `
    WITH numbered AS MATERIALIZED (
      SELECT n, ${a} AS a, ${b} AS b, ${c} AS c, ${end - spanMillis} + ${spanMillis} * n / ${tasks} AS ms
      FROM ${numbers(from, until)}
    ), shaped AS MATERIALIZED (
      SELECT *, (b / 65536) * (b / 65536) * ${names} / 4294967296 AS kind, (c / 65536) % 1000 AS share,
        20 + b % 900 AS runtime, ${hex("ms", 12)} AS stamp, ${taskIdSql("a", "b", "c")} AS task_id,
        CASE WHEN n % ${treeSize} <> 0 AND (n / ${treeSize}) % 3 = 0 THEN ${taskIdSql(rootA, rootB, rootC)} END AS root
      FROM numbered
    ), timed AS MATERIALIZED (
      SELECT *, 'shop.module' || (kind % 30) || '.task_' || kind AS name, 'celery@worker-' || (c % ${workers}) AS worker,
        ${moment("ms - 30")} AS received, ${moment("ms")} AS started, ${moment("ms + runtime")} AS finished,
        CASE WHEN n > ${tasks} - 500 AND n % 5 = 0 THEN 'started' WHEN share < 955 THEN 'success' WHEN share < 985 THEN 'failure'
          WHEN share < 993 THEN 'retry' ELSE 'revoked' END AS state
      FROM shaped
    )
    INSERT INTO tasks (${columns.join(", ")})
    SELECT ${
    uuid(
      `substr(stamp, 1, 8) || '-' || substr(stamp, 9) || '-7' || ${hex("b % 4096", 3)} || '-8' || ${
        hex("c % 4096", 3)
      } || '-' || ${hex("a", 8)} || ${hex("c / 65536", 4)}`
    )
  },
      ${uuid(`CASE n % 20 WHEN 5 THEN '${second}' WHEN 15 THEN '${third}' ELSE '${first}' END`)},
      'celery', task_id, name, 'queue-' || (kind % ${queues}), state,
      CASE WHEN n % 50 = 3 THEN 'high' ELSE 'normal' END,
      '[' || n || ',"an argument of some length",{"deep":[1.0,2,3]}]',
      '{"customer_id":' || n || ',"email":"customer' || n || '@example.com","items":[{"sku":"A-' || a || '","count":2}]}',
      CASE state WHEN 'success' THEN '{"ok":true,"order":' || b || ',"sent":' || c || '}' END,
      CASE state WHEN 'failure' THEN 'ConnectionError: order ' || a || ' refused by gateway ' || kind WHEN 'retry' THEN 'TimeoutError: gateway ' || kind END,
      CASE state WHEN 'failure' THEN 'Traceback (most recent call last):\n${frames}ConnectionError: order ' || a || ' refused by gateway ' || kind END,
      CASE state WHEN 'retry' THEN 1 ELSE 0 END,
      received, started, CASE WHEN state <> 'started' THEN finished END, CASE WHEN state <> 'started' THEN runtime END,
      worker, root, root, '[]', received,
      '[1,["${agent}","' || name || '","' || worker || '"],[' || ${event(0, 2, "received")} || ',' || ${
    event(1, 3, "started")
  } || ',' || ${event(2, 5, "finished")} || '],[]]',
      3, started, finished,
      CASE WHEN state IN ('failure', 'retry') THEN '0123456789ab' || ${hex("kind", 4)} END
    FROM timed`
}

/** Fills in what the writers of tasks keep besides: counts, distinct values, failure groups. */
export const derivedSql: ReadonlyArray<string> = [
  `INSERT INTO task_counts (project_id, state, slot, tasks)
    SELECT project_id, state, 0, count(*) FROM tasks GROUP BY project_id, state`,
  ...["name", "queue", "worker_name"].map((facet) =>
    `INSERT INTO task_facets (project_id, facet, value, seen_at)
      SELECT project_id, '${facet}', ${facet}, max(updated_at) FROM tasks GROUP BY project_id, ${facet}`
  ),
  `INSERT INTO failure_groups (project_id, fingerprint, engine, task_name, sample_task_id, first_seen_at, last_seen_at, occurrences, open_count, recovered_count)
    SELECT project_id, fingerprint, 'celery', max(name), max(task_id), min(updated_at), max(updated_at), count(*),
      sum(CASE state WHEN 'failure' THEN 1 ELSE 0 END), 0
    FROM tasks WHERE fingerprint IS NOT NULL GROUP BY project_id, fingerprint`
]
