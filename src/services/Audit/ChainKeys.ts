import { createSecretKey, hash, type KeyObject } from "node:crypto"

/** A key of the chain. A KeyObject shows nothing of itself when it is printed. */
export interface ChainKey {
  readonly key_id: string
  readonly key: KeyObject
}

/** The keys of the chain that this process holds. Which of them signs is written in `audit_head`. */
export interface ChainKeys {
  /** Looks into `file` again when it does not know the key: a new one may have been put there meanwhile. */
  readonly find: (key_id: string) => ChainKey | undefined
  readonly all: () => ReadonlyArray<ChainKey>
  /** Where they were read from, and where a new one goes; null when the environment gave them. */
  readonly file: string | null
}

export const chainKeyOf = (bytes: Buffer): ChainKey => ({
  key_id: hash("sha256", Buffer.concat([Buffer.from("svc audit chain key\n"), bytes]), "hex").slice(0, 16),
  key: createSecretKey(bytes)
})

/** `read` gives what is in `file` now. */
export const chainKeys = (
  first: ReadonlyArray<ChainKey>,
  file: string | null,
  read: () => ReadonlyArray<ChainKey>
): ChainKeys => {
  let held = new Map(first.map((one) => [one.key_id, one]))
  return {
    find: (key_id) => {
      if (!held.has(key_id) && file !== null) held = new Map([...held, ...read().map((one) => [one.key_id, one] as const)])
      return held.get(key_id)
    },
    all: () => [...held.values()],
    file
  }
}
