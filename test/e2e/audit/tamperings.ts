import { guessed, ownKey, relinked, type Row, statementBy, type Tables } from "./adversary.ts"

/** Copies of the log that is tampered with. */
export interface Copies {
  /** At row 20, with nothing pruned. */
  readonly older: Tables
  /** At row 21: rows 1 to 3 are pruned. */
  readonly pruned: Tables
  /** At row 34: rows 1 to 6 are pruned, and there are checkpoints of rows 12, 20 and 30. */
  readonly now: Tables
}

interface Tampering {
  readonly what: string
  readonly tamper: (copies: Copies) => Tables
  /**
   * What `svc audit verify` says, what it says of the checkpoints, whether the program without secrets finds something, and
   * whether a brain that committed row 34 adds a row to it.
   */
  readonly shows: readonly [verify: string, checkpoints: string, alone: "broken" | "ok", brain: "refuses" | "writes"]
}

const rows = (tables: Tables, change: (rows: ReadonlyArray<Row>) => ReadonlyArray<Row>): Tables => ({
  ...tables,
  audit_log: change(tables.audit_log)
})
export const edited = (seq: number, change: Row) => (tables: Tables) =>
  rows(tables, (all) => all.map((row) => (row.seq === seq ? { ...row, ...change } : row)))
const swapped = (tables: Tables) =>
  rows(tables, (all) => {
    const [left, right] = [all.find(({ seq }) => seq === 15), all.find(({ seq }) => seq === 16)]
    return all.map((row) => (row.seq === 15 ? { ...right, seq: 15 } : row.seq === 16 ? { ...left, seq: 16 } : row))
  })
const without = (...removed: ReadonlyArray<number>) => (tables: Tables) =>
  rows(tables, (all) => all.filter(({ seq }) => !removed.includes(Number(seq))))
export const upTo = (last: number) => (tables: Tables) =>
  rows(tables, (all) => all.filter(({ seq }) => Number(seq) <= last))
const forged = (like: Row | undefined): Row => ({
  ...like,
  id: "01900000-0000-7000-8000-0000000000e1",
  action: "membership.granted",
  row_hmac: guessed()
})
const inserted = (after: number) => (tables: Tables) =>
  rows(tables, (all) => all.flatMap((row) => (row.seq === after ? [row, forged(row)] : [row])))
export const before = ({ now }: Copies) => rows(now, (all) => [{ ...forged(all[0]), seq: 3 }, ...all])
export const watermark = (
  tables: Tables,
  change: (statement: Readonly<Record<string, unknown>>) => string,
  seq?: number
): Tables => ({
  ...tables,
  audit_watermark: tables.audit_watermark.map((row) => ({
    ...row,
    ...(seq !== undefined && { seq }),
    statement: change(JSON.parse(String(row.statement)))
  }))
})
/** A key that no brain has, marked as one whose rows are skipped. */
const retiredKey = "00000000deadbeef"
export const withRetired = (tables: Tables): Tables => ({
  ...tables,
  audit_keys: [...tables.audit_keys, {
    ...tables.audit_keys[0],
    key_id: retiredKey,
    purpose: "chain",
    state: "retired",
    public_key: null
  }]
})
/** Rows that pretend to be of that key. */
export const claimed = (from: number, until: number) => (tables: Tables) =>
  rows(
    tables,
    (all) =>
      all.map((row) =>
        Number(row.seq) >= from && Number(row.seq) <= until ? { ...row, key_id: retiredKey, row_hmac: guessed() } : row
      )
  )

export const tamperings: ReadonlyArray<Tampering> = [
  {
    what: "a row changed, and every hash after it recomputed",
    tamper: ({ now }) => relinked(edited(15, { action: "x" })(now)),
    shows: ["changed", "contradicted", "broken", "refuses"]
  },
  {
    what: "a row after the last checkpoint changed, and every hash after it recomputed",
    tamper: ({ now }) => relinked(edited(32, { action: "x" })(now)),
    shows: ["changed", "ok", "ok", "refuses"]
  },
  {
    what: "a row put in",
    tamper: ({ now }) => relinked(inserted(15)(now)),
    shows: ["changed", "contradicted", "broken", "refuses"]
  },
  {
    what: "a row put in after the last checkpoint",
    tamper: ({ now }) => relinked(inserted(34)(now)),
    shows: ["changed", "ok", "ok", "refuses"]
  },
  { what: "a row taken out", tamper: ({ now }) => without(15)(now), shows: ["missing", "ok", "broken", "writes"] },
  {
    what: "a row taken out, the others renumbered and rehashed",
    tamper: ({ now }) => relinked(without(15)(now)),
    shows: ["changed", "contradicted", "broken", "refuses"]
  },
  {
    what: "a row taken out after the last checkpoint, the others renumbered and rehashed",
    tamper: ({ now }) => relinked(without(32)(now)),
    shows: ["changed", "ok", "ok", "refuses"]
  },
  { what: "two rows exchanged", tamper: ({ now }) => swapped(now), shows: ["reordered", "ok", "broken", "writes"] },
  {
    what: "two rows exchanged, and every hash after them recomputed",
    tamper: ({ now }) => relinked(swapped(now)),
    shows: ["changed", "contradicted", "broken", "refuses"]
  },
  { what: "the end truncated", tamper: ({ now }) => upTo(32)(now), shows: ["cut", "ok", "broken", "refuses"] },
  {
    what: "the end truncated before a checkpoint, with the head that was there then",
    tamper: ({ now }) => relinked(upTo(28)(now)),
    shows: ["ok", "cut", "broken", "refuses"]
  },
  {
    what: "the end truncated after the last checkpoint, with the head that was there then",
    tamper: ({ now }) => relinked(upTo(31)(now)),
    shows: ["ok", "ok", "ok", "refuses"]
  },
  { what: "an old copy of everything", tamper: ({ older }) => older, shows: ["ok", "cut", "broken", "refuses"] },
  {
    what: "an old log under the watermark of today",
    tamper: ({ now, older }) => ({ ...now, audit_log: older.audit_log }),
    shows: ["inserted", "contradicted", "broken", "refuses"]
  },
  {
    what: "the watermark taken away",
    tamper: ({ now }) => ({ ...now, audit_watermark: [] }),
    shows: ["missing", "ok", "broken", "writes"]
  },
  {
    what: "an older watermark",
    tamper: ({ now, pruned }) => ({ ...now, audit_watermark: pruned.audit_watermark }),
    shows: ["missing", "ok", "broken", "writes"]
  },
  {
    what: "rows that were pruned put back, under the watermark of before",
    tamper: ({ now, older, pruned }) => ({
      ...now,
      audit_watermark: pruned.audit_watermark,
      audit_log: [...older.audit_log.filter(({ seq }) => [4, 5, 6].includes(Number(seq))), ...now.audit_log]
    }),
    shows: ["watermark", "ok", "broken", "writes"]
  },
  {
    what: "all rows that were pruned put back, and no watermark",
    tamper: ({ now, older }) => ({
      ...now,
      audit_watermark: [],
      audit_log: [...older.audit_log.filter(({ seq }) => Number(seq) < 7), ...now.audit_log]
    }),
    shows: ["watermark", "ok", "broken", "writes"]
  },
  {
    what: "a watermark moved over rows that were taken out",
    tamper: ({ now }) => watermark(without(7, 8)(now), (statement) => JSON.stringify({ ...statement, seq: 8 }), 8),
    shows: ["watermark", "ok", "broken", "writes"]
  },
  {
    what: "a watermark signed with a key of their own, which audit_keys has",
    tamper: ({ now }) => {
      const { key_id, privateKey, public_key } = ownKey()
      const last = now.audit_log.find(({ seq }) => seq === 8)
      return {
        ...watermark(
          without(7, 8)(now),
          ({ signature: _, ...statement }) =>
            statementBy(privateKey, {
              ...statement,
              key_id,
              seq: 8,
              row_hash: last?.row_hash,
              row_hmac: last?.row_hmac
            }),
          8
        ),
        audit_keys: now.audit_keys.map((row) => (row.purpose === "signing" ? { ...row, key_id, public_key } : row))
      }
    },
    shows: ["watermark", "ok", "broken", "writes"]
  },
  {
    what: "a watermark in the name of our key",
    tamper: ({ now }) =>
      watermark(now, ({ signature: _, ...statement }) => statementBy(ownKey().privateKey, statement)),
    shows: ["watermark", "ok", "broken", "writes"]
  },
  {
    what: "a row taken out, and the unsigned number beside the watermark raised",
    tamper: ({ now }) => watermark(without(15)(now), (statement) => JSON.stringify(statement), 1000),
    shows: ["missing", "ok", "broken", "writes"]
  },
  {
    what: "rows put before the watermark",
    tamper: before,
    shows: ["inserted", "ok", "broken", "writes"]
  },
  {
    what: "every row after the watermark taken out, with the head that was there then",
    tamper: ({ now }) => relinked(upTo(6)(now)),
    shows: ["cut", "cut", "broken", "refuses"]
  },
  {
    what: "every row taken out, and the head left",
    tamper: ({ now }) => ({ ...now, audit_log: [] }),
    shows: ["cut", "contradicted", "broken", "refuses"]
  },
  {
    what: "everything emptied, and a head that begins again",
    tamper: ({ now }) => relinked({ ...now, audit_log: [], audit_watermark: [] }),
    shows: ["ok", "cut", "broken", "refuses"]
  },
  {
    what: "the head taken away",
    tamper: ({ now }) => ({ ...now, audit_head: [] }),
    shows: ["head", "cut", "ok", "refuses"]
  },
  {
    what: "every table emptied",
    tamper: () => ({ audit_log: [], audit_head: [], audit_watermark: [], audit_keys: [] }),
    shows: ["nothing", "ok", "broken", "refuses"]
  },
  {
    what: "the chain's key marked as retired, a row changed, and every hash after it recomputed",
    tamper: ({ now }) =>
      relinked(
        edited(15, { action: "x" })({ ...now, audit_keys: now.audit_keys.map((row) => ({ ...row, state: "retired" })) })
      ),
    shows: ["changed", "contradicted", "broken", "refuses"]
  },
  {
    what: "a row changed, and it and all after it said to be of a retired key",
    tamper: ({ now }) => withRetired(relinked(claimed(15, 34)(edited(15, { action: "x" })(now)))),
    shows: ["key_unknown", "contradicted", "broken", "refuses"]
  },
  {
    what: "a row changed, and all but the newest said to be of a retired key",
    tamper: ({ now }) => withRetired(relinked(claimed(7, 33)(edited(15, { action: "x" })(now)))),
    shows: ["changed", "contradicted", "broken", "refuses"]
  },
  {
    what: "rows of a key that is not ours",
    tamper: ({ now }) => claimed(33, 34)(now),
    shows: ["key_unknown", "ok", "broken", "writes"]
  },
  {
    what: "audit_keys emptied, on which no proof rests",
    tamper: ({ now }) => ({ ...now, audit_keys: [] }),
    shows: ["ok", "ok", "ok", "writes"]
  }
]
