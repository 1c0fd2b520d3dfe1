import { assert, describe, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { basename, join } from "node:path"
import { BufferFile, parseEvents } from "../../../src/agent/runtime/BufferFile.ts"
import { BufferFolder } from "../../../src/agent/runtime/BufferFolder.ts"
import { CommandJournal, INTERRUPTED_MESSAGE } from "../../../src/agent/runtime/CommandJournal.ts"
import type { OutgoingBatch } from "../../../src/agent/runtime/InFlight.ts"
import { Outbox } from "../../../src/agent/runtime/Outbox.ts"
import type { BufferLimits } from "../../../src/agent/runtime/Packing.ts"
import { temporaryHome } from "../../databases.ts"

const roomy: BufferLimits = { maxEvents: 100_000, maxBytes: 256 * 1_048_576 }

/** An outbox in the folder, as a process of the agent has it. */
const outboxIn = (home: string, limits = roomy) => {
  const lines: Array<string> = []
  const log = (_level: string, message: string) => void lines.push(message)
  const folder = new BufferFolder(home, "0123456789ab", log)
  const outbox = new Outbox(folder.claim(), folder, limits, () => 1000, log)
  return { folder, lines, outbox, book: new CommandJournal(() => outbox.file, () => 1000, log) }
}

const text = (n: number) => `{"n":${n}}`
const numbersOf = (parcels: ReadonlyArray<OutgoingBatch>) =>
  parcels.flatMap(({ bodies }) => bodies.flatMap((body) => parseEvents(body))).map((event): number =>
    JSON.parse(event).n
  )

const fill = (outbox: Outbox, count: number, from = 0) => {
  for (let n = from; n < from + count; n++) outbox.add(text(n))
  outbox.flush()
}

/** All that waits, acknowledged as it comes. */
const drain = (outbox: Outbox, most = 1_000_000) => {
  const parcels: Array<OutgoingBatch> = []
  for (let parcel = outbox.next(most); parcel !== null; parcel = outbox.next(most)) {
    parcels.push(parcel)
    outbox.ack(parcel.id)
  }
  outbox.flush()
  return numbersOf(parcels)
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

/** Runs the work while this process can write to no file, as on a full disk. */
const onFullDisk = <A>(work: () => A): A => {
  const limit = (size: string) => execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${size}:`])
  limit("0")
  try {
    return work()
  } finally {
    limit("unlimited")
  }
}

const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0

describe.skipIf(!hasPrlimit)("the buffer's files on a full disk", () => {
  it.scoped("leave no empty one where none can be written", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const { lines, outbox } = onFullDisk(() => outboxIn(home))
      assert.include(lines.join("\n"), "they are kept in memory")
      assert.deepStrictEqual(readdirSync(home), [])
      outbox.close(false)
    }))
})

it("a buffer file refuses a transaction within another, which stays whole", () => {
  const file = BufferFile.inMemory()
  file.transaction(() => {
    file.add(1, 2, "{}")
    assert.throws(() => file.transaction(() => file.add(1, 2, "{}")), /within another/)
  })
  assert.deepStrictEqual([file.events, file.readAfter(0, () => true).length], [1, 1])
  file.close()
})

describe("the outbox", () => {
  it.scoped("gives events in their order, many a frame, and deletes what is acknowledged", () =>
    Effect.gen(function*() {
      const { outbox } = outboxIn(yield* temporaryHome)
      fill(outbox, 2500)
      assert.strictEqual(outbox.events, 2500)
      const first = outbox.next(1_000_000)
      assert.isAbove(numbersOf(first === null ? [] : [first]).length, 400)
      outbox.rewind()
      assert.deepStrictEqual(drain(outbox), range(0, 2500), "what was not acknowledged is sent again")
      assert.strictEqual(outbox.events, 0)
      assert.strictEqual(outbox.bytes, 0)
    }))

  it.scoped("has at most sixteen frames under way", () =>
    Effect.gen(function*() {
      const { outbox } = outboxIn(yield* temporaryHome)
      fill(outbox, 20_000)
      const parcels: Array<OutgoingBatch> = []
      for (let parcel = outbox.next(1_000_000); parcel !== null; parcel = outbox.next(1_000_000)) parcels.push(parcel)
      assert.strictEqual(parcels.length, 16)
      outbox.ack(parcels[3]?.id ?? "")
      assert.isNotNull(outbox.next(1_000_000))
    }))

  it.scoped("sends snapshots beside the events, one frame at a time, again after a lost connection, and never to the file", () =>
    Effect.gen(function*() {
      const { lines, outbox } = outboxIn(yield* temporaryHome)
      const { snapshots } = outbox
      const next = (most = 1_000_000) => {
        const parcel = outbox.next(most)
        if (parcel === null) throw new Error("nothing to send")
        return { id: parcel.id, numbers: numbersOf([parcel]) }
      }
      fill(outbox, 2)
      snapshots.add("clock", "s1", [text(10), text(11)])
      snapshots.add("other", "s2", [text(20)])
      const [first, events] = [next(), next()]
      assert.deepStrictEqual([first.numbers, events.numbers], [[10], [0, 1]])
      assert.isNull(outbox.next(1_000_000), "the rest waits for its ack")
      outbox.ack(events.id)
      outbox.rewind()
      const again = next()
      assert.deepStrictEqual(again.numbers, [10])
      assert.strictEqual(outbox.oldestSentAt, 1000)
      assert.isTrue(outbox.ack(again.id))
      assert.isFalse(outbox.ack(again.id))
      const last = next()
      assert.deepStrictEqual([last.numbers, snapshots.snapshots, snapshots.lengthOf("clock")], [
        [11],
        2,
        text(11).length
      ])
      snapshots.discard("clock")
      assert.isFalse(outbox.ack(last.id), "the batch is no longer pending")
      snapshots.add("clock", "s3", [text(30), text(31)])
      const refused = next()
      assert.deepStrictEqual(refused.numbers, [20])
      outbox.reject(refused.id)
      assert.deepStrictEqual(drain(outbox, 5), [], "too long for this brain")
      assert.deepStrictEqual(lines, [
        "the schedules of other were not published: the brain refused them",
        "the schedules of clock were not published: a schedule of it is longer than the brain accepts (5 bytes)"
      ])
      assert.deepStrictEqual([snapshots.snapshots, outbox.loss.events], [0, 0])
    }))

  it.scoped("drops the oldest when there are too many, and counts them", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const { outbox } = outboxIn(home, { maxEvents: 100, maxBytes: 1_000_000 })
      fill(outbox, 1234)
      assert.isAtMost(outbox.events, 100)
      assert.strictEqual(outbox.loss.events, 1234 - outbox.events)
      assert.isAbove(outbox.loss.evictedFrames, 0)
      const left = outbox.events
      outbox.close(false)
      const next = outboxIn(home).outbox
      assert.strictEqual(next.loss.events, 1234 - left, "the count outlives the process")
      assert.deepStrictEqual(drain(next), range(1234 - left, 1234))
    }))

  it.scoped("is bounded by bytes too", () =>
    Effect.gen(function*() {
      const { outbox } = outboxIn(yield* temporaryHome, { maxEvents: 1_000_000, maxBytes: 5000 })
      fill(outbox, 5000)
      assert.isAtMost(outbox.bytes, 5000)
      assert.strictEqual(outbox.loss.events + outbox.events, 5000)
    }))

  it.scoped("writes long rows again in pieces for a brain that takes short frames only", () =>
    Effect.gen(function*() {
      const { lines, outbox } = outboxIn(yield* temporaryHome)
      outbox.add(`{"n":"${"x".repeat(2000)}"}`)
      fill(outbox, 200)
      assert.deepStrictEqual(drain(outbox, 500), range(0, 200))
      assert.deepInclude(outbox.loss, { events: 1, rejectedFrames: 1 })
      assert.match(lines.join(), /longer than the brain accepts/)
    }))

  it.scoped("gives up no event but the bad one when a session ends with it, and says so once", () =>
    Effect.gen(function*() {
      const { lines, outbox } = outboxIn(yield* temporaryHome)
      const bad = [`{"n":[1,,3]}`, `{"a":",{\\"","b":1,"b":2}`, `{"z":1,"a":2}`, "7", `{"n":"\\ud800"}`]
      for (const [index, each] of bad.entries()) {
        outbox.add(text(2 * index))
        outbox.add(each)
        outbox.add(text(2 * index + 1))
      }
      outbox.flush()
      const first = outbox.next(1_000_000)
      for (const each of bad) {
        assert.include(first?.bodies.join() ?? "", each, "what was just made is believed, and sent unlooked")
      }
      outbox.rewind()
      assert.deepStrictEqual(drain(outbox), range(0, 10))
      assert.deepInclude(outbox.loss, { events: 5, rejectedFrames: 1 })
      assert.deepStrictEqual(lines, ["5 buffered events are damaged and were dropped"])
    }))

  it.scoped("gives up the bad one also where no file takes events", () =>
    Effect.gen(function*() {
      const { lines, outbox } = outboxIn(yield* temporaryHome)
      outbox.file["db"].exec("PRAGMA query_only = ON") // a file that can be read and not written, as on a full disk
      for (const each of [text(0), `{"n":[1,,3]}`, text(1)]) outbox.add(each)
      outbox.flush()
      assert.isNotNull(outbox.next(1_000_000))
      outbox.rewind()
      assert.deepStrictEqual(numbersOf([outbox.next(1_000_000)].filter((parcel) => parcel !== null)), [0, 1])
      assert.strictEqual(outbox.loss.events, 1)
      assert.strictEqual(lines.filter((line) => line.includes("damaged")).length, 1)
    }))

  it.scoped("leaves what it could not send to the next process, and no file when there is nothing", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const first = outboxIn(home)
      fill(first.outbox, 10)
      first.outbox.close(false)
      const second = outboxIn(home)
      assert.deepStrictEqual(drain(second.outbox), range(0, 10))
      second.outbox.close(false)
      assert.deepStrictEqual(readdirSync(home), [])
    }))
})

describe("buffers of several processes", () => {
  it.scoped("are a file each, and one whose process died is taken over", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const [one, two] = [outboxIn(home), outboxIn(home)]
      assert.notStrictEqual(one.outbox.path, two.outbox.path)
      fill(one.outbox, 1000)
      fill(two.outbox, 500, 1000)
      two.book.begin("c1", null)
      two.book.begin("c2", "token")
      two.book.finish("c2", { status: "success", result: `{"a":1}`, error: null }, "token")
      assert.isNull(one.folder.claimAbandoned(), "a live process's file was taken")
      two.outbox.close(true)
      const left = one.folder.claimAbandoned()
      if (left === null) throw new Error("a dead process's file was not found")
      while (one.outbox.adopt(left)) assert.isAtLeast(one.outbox.events, 1000)
      one.book.adopt(left.file.listCommands())
      one.folder.remove(left)
      assert.deepStrictEqual(drain(one.outbox), range(0, 1500))
      assert.deepStrictEqual(one.book.find("c1"), {
        status: "failed",
        result: `{"indeterminate":true}`,
        error: INTERRUPTED_MESSAGE
      })
      assert.deepStrictEqual(one.book.listUnconfirmed().map(({ claimToken, id }) => [id, claimToken]), [["c1", null], [
        "c2",
        "token"
      ]])
      assert.strictEqual(readdirSync(home).filter((name) => name.endsWith(".sqlite")).length, 1)
    }))
})

describe("a damaged buffer", () => {
  const damaged = (damage: (path: string) => void) =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const first = outboxIn(home)
      for (let n = 0; n < 40; n++) fill(first.outbox, 200, n * 200)
      const { path } = first.outbox
      first.outbox.close(false)
      damage(path ?? "")
      const next = outboxIn(home)
      fill(next.outbox, 1, 99_999)
      const found = drain(next.outbox)
      assert.include(found, 99_999, "the new buffer does not work")
      return { found, next, files: readdirSync(home), path }
    })

  it.scoped("truncated in the middle: what can be read is kept, the rest is set aside with a line", () =>
    Effect.gen(function*() {
      const { files, found, next } = yield* damaged((path) =>
        truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096)
      )
      assert.isAbove(found.length, 100)
      assert.isBelow(found.length, 8001)
      assert.isTrue(files.some((name) => name.endsWith(".damaged")), files.join())
      assert.match(
        next.lines.join(),
        /is damaged: \d+ events could be read and are kept; it was set aside as .*\.damaged/
      )
    }))

  it.scoped("garbage: set aside with a line", () =>
    Effect.gen(function*() {
      const { files, found, next } = yield* damaged((path) =>
        writeFileSync(path, "this was a database once ".repeat(5000))
      )
      assert.deepStrictEqual(found, [99_999])
      assert.isTrue(files.some((name) => name.endsWith(".damaged")))
      assert.match(next.lines.join(), /no event in it could be read/)
    }))

  for (const end of ["", "-wal"]) {
    it.scoped(`of a process that was killed, its ${end === "" ? "file" : "log"} truncated in the middle: what can be read is kept, and it works`, () =>
      Effect.gen(function*() {
        const { outbox } = outboxIn(yield* temporaryHome)
        const filler = "x".repeat(1000)
        const count = end === "" ? 8000 : 2000 // the log reaches the file at 4 MB
        for (let from = 0; from < count; from += 200) {
          for (let n = from; n < from + 200; n++) outbox.add(`{"n":${n},"x":"${filler}"}`)
          outbox.flush()
        }
        // as a kill leaves them: the log is beside the file, and holds what the file has not yet
        const home = yield* temporaryHome
        const copy = join(home, basename(outbox.path ?? ""))
        for (const part of ["", "-wal"]) copyFileSync(outbox.path + part, copy + part)
        truncateSync(copy + end, Math.floor(statSync(copy + end).size / 2))
        const next = outboxIn(home)
        fill(next.outbox, 1, 99_999)
        const found = drain(next.outbox)
        assert.include(found, 99_999)
        assert.isAbove(found.length, 1)
        assert.isAtMost(found.length, count)
        if (end === "") assert.match(next.lines.join(), /is damaged: \d+ events could be read/)
        else {assert.deepStrictEqual(
            found,
            [...range(0, found.length - 1), 99_999],
            "the log is valid up to its truncation"
          )}
      }))
  }

  it.scoped("with garbage in an event: that row is dropped and counted, the others are sent", () =>
    Effect.gen(function*() {
      const { found, next } = yield* damaged((path) => {
        const bytes = readFileSync(path)
        const position = bytes.indexOf(text(4000))
        bytes.write("}}}}", position)
        writeFileSync(path, bytes)
      })
      assert.strictEqual(found.length + next.outbox.loss.events, 8001)
      assert.isAbove(next.outbox.loss.events, 0)
      assert.notInclude(found, 4000)
    }))

  it.scoped("too long to be searched, its commands damaged: set aside as a short one is", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const first = outboxIn(home)
      fill(first.outbox, 10)
      const result = JSON.stringify("x".repeat(900_000))
      for (let n = 0; n < 20; n++) {
        first.book.begin(`c${n}`, null)
        first.book.finish(`c${n}`, { status: "success", result, error: null }, null)
      }
      const { path } = first.outbox
      first.outbox.close(true)
      const db = new BetterSqlite3(path ?? "")
      const root = db.prepare<[], { rootpage: number }>("SELECT rootpage FROM sqlite_master WHERE name = 'commands'")
        .get()
      db.close()
      const bytes = readFileSync(path ?? "")
      assert.isAbove(bytes.length, 16 * 1_048_576)
      bytes.fill(0xff, ((root?.rootpage ?? 0) - 1) * 4096, (root?.rootpage ?? 0) * 4096)
      writeFileSync(path ?? "", bytes)
      const next = outboxIn(home)
      assert.match(next.lines.join(), /is damaged: 10 events could be read/)
      assert.deepStrictEqual(drain(next.outbox), range(0, 10))
    }))

  it.scoped("that cannot be set aside: events are kept in memory", () =>
    Effect.gen(function*() {
      const { folder, lines, outbox } = outboxIn(yield* temporaryHome)
      mkdirSync(`${outbox.path}.damaged`)
      assert.isNull(folder.replace({ file: outbox.file, path: outbox.path }).path)
      assert.match(lines.join(), /events are kept in memory/)
    }))

  it.scoped("an empty file is one like any other", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      writeFileSync(join(home, "0123456789ab-00000000-0000-0000-0000-000000000000.sqlite"), "")
      const { lines, outbox } = outboxIn(home)
      fill(outbox, 3)
      assert.deepStrictEqual(drain(outbox), [0, 1, 2])
      assert.deepStrictEqual(lines, [])
    }))

  it.scoped("a folder that cannot be made: events are kept in memory, with a line", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      writeFileSync(join(home, "file"), "")
      const { lines, outbox } = outboxIn(join(home, "file", "below"))
      fill(outbox, 3)
      assert.isNull(outbox.path)
      assert.deepStrictEqual(drain(outbox), [0, 1, 2])
      assert.match(lines.join(), /kept in memory/)
      // the folder can be made meanwhile, and another process leaves its file there: it stays for one that has a file
      rmSync(join(home, "file"))
      const other = outboxIn(join(home, "file", "below"))
      fill(other.outbox, 2)
      other.outbox.close(true)
      assert.isNull(outbox.claimAbandoned())
      assert.deepStrictEqual(drain(outboxIn(join(home, "file", "below")).outbox), [0, 1])
    }))
})
